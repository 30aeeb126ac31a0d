// Imports what it does not use: none of it may be in what is built from this.
import { DatabaseSync, init } from 'sqlite-vfs-kit';

// biome-ignore lint/correctness/noUnusedVariables: as said
const start = () => init().then(() => new DatabaseSync('songs.db'));

export const answer = 42;
