export default {
  // Relative addresses: what is built works under any path.
  base: './',
};
