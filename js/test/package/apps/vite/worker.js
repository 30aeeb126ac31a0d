// The wasm file by its own name, as one does who serves it from another place.
import wasm from 'sqlite-vfs-kit/wasm?url';
import { oldest } from './songs.js';

oldest({ wasm }).then(postMessage, (error) => postMessage(String(error)));
