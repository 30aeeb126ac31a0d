import { oldest } from './songs.js';

const show = (id, text) => {
  document.getElementById(id).textContent = text;
};

const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
worker.onmessage = ({ data }) => show('worker', data);

oldest().then(
  (text) => show('page', text),
  (error) => show('page', String(error)),
);
