/**
 * The ways there are to hand the buffer of a read or write to a VFS written in JavaScript, such that it does no harm when memory has
 * grown: one VFS, in memory, with each of them.
 */
import { type BufferSubject, kitBuffers } from '../subjects/kit-buffers.js';
import { type Case, part, type Suite } from '../suite.js';
import { auto1000 } from '../workloads/auto1000.js';
import { dump } from '../workloads/dump.js';
import { io4k } from '../workloads/io4k.js';
import { queries } from '../workloads/queries.js';

/** All that is of interest of how a subject was driven. */
const uses = ['buffer'];

/** Without the rest, and of the work as much as with a Proxy does not take half a minute a run. */
const inPart = (share: number, whole: Case<BufferSubject>): Case<BufferSubject> => ({
  ...part(share, whole),
  uses,
});

export const buffers: Suite<BufferSubject> = {
  name: 'buffers',
  about:
    'The ways to hand the buffer of a read or write to a VFS written in JavaScript, such that it does no harm when memory has grown.',
  runs: 7,
  subjects: kitBuffers,
  cases: [inPart(1, auto1000), inPart(0.2, dump), inPart(0.05, queries), io4k],
  baseline: ['Proxy', 'class', 'lambda', 'subarray'],
  requirements: [
    { case: 'io4k', subject: 'view (ours)', atMost: 1.1 },
    { case: 'auto1000', subject: 'view (ours)', atMost: 1.1 },
    { case: 'io4k', subject: 'view (ours)', atMost: 0.1, over: ['Proxy'] },
  ],
};
