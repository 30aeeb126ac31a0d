export default {
  base: './',
  resolve: { alias: { 'node:sqlite': 'sqlite-vfs-kit/node-compat' } },
  // In Vite's ordinary format for workers nothing can be awaited at the top.
  worker: { format: 'es' },
  build: { rolldownOptions: { input: ['index.html', 'worker.html'] } },
};
