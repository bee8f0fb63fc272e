/**
 * Imported first by every script that a user runs: says plainly that this Node is too old, before anything else fails.
 */
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Extremum needs Node.js 20.19 or newer; this is ${process.version}. Get one from https://nodejs.org.`);
  process.exit(1);
}
