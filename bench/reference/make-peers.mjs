/**
 * Writes bench/reference/bbob-peers.json from the protocol's tables:
 *
 *   node bench/reference/make-peers.mjs ../shared/reference/bbob/peers.csv
 */
import { writeFileSync } from 'node:fs';
import { PEERS_FILE, readPeers } from '../../dist/benchmarks/report/peers.js';

const [file] = process.argv.slice(2);
if (file === undefined || file.endsWith('.json')) throw new Error('usage: make-peers.mjs peers.csv');
const source =
  'Measured on the BBOB suite, instances 1-5, by the protocol in docs/guides/benchmarks.md, with the packages named in `version` ' +
  '(Python 3.11.7, NumPy 2.4.6). Made by bench/reference/make-peers.mjs.';
const peers = readPeers(file).map((peer) => `    ${JSON.stringify(peer)}`);
writeFileSync(PEERS_FILE, `{\n  "source": ${JSON.stringify(source)},\n  "peers": [\n${peers.join(',\n')}\n  ]\n}\n`);
