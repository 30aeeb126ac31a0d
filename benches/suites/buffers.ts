/**
 * The ways there are to hand the buffer of a read or write to a VFS written in JavaScript, such that it does no harm when memory has
 * grown: one VFS, in memory, with each of them.
 */
import { type BufferSubject, kitBuffers } from '../subjects/kit-buffers.js';
import type { Case, Suite } from '../suite.js';
import { auto1000 } from '../workloads/auto1000.js';
import { dump } from '../workloads/dump.js';
import { io4k } from '../workloads/io4k.js';
import { queries } from '../workloads/queries.js';

/** All that is of interest of how a subject was driven. */
const uses = ['buffer'];

/** A part of a case's work, for all subjects: with a Proxy, all of it would take half a minute a run. */
const part = (scale: number, whole: Case<BufferSubject>): Case<BufferSubject> => ({
  ...whole,
  uses,
  start: (subject, wanted) => whole.start(subject, wanted * scale),
});

export const buffers: Suite<BufferSubject> = {
  name: 'buffers',
  runs: 7,
  subjects: kitBuffers,
  cases: [part(1, auto1000), part(0.2, dump), part(0.05, queries), io4k],
  baseline: ['Proxy', 'class', 'lambda', 'subarray'],
  requirements: [
    { case: 'io4k', subject: 'view (ours)', atMost: 1.1 },
    { case: 'auto1000', subject: 'view (ours)', atMost: 1.1 },
    { case: 'io4k', subject: 'view (ours)', atMost: 0.1, over: ['Proxy'] },
  ],
};
