/** Ends a case that finds out on its way that it is not for this VFS. */
export class NotPromised extends Error {}
