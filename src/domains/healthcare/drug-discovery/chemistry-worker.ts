/** The thread of RDKit: one job, then it is ended from outside (see chemistry.ts). */
import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { errorData } from '../../../common/thread-call.js';
import { ALERTS, ACCEPTORS } from './patterns.js';
import {
  PACKAGE,
  type ChemistryAnswer,
  type ChemistryJob,
  type ChemistryReport,
  type Descriptors,
} from './chemistry.js';

/** The part of the library that is used. Its objects lie in its own memory until they are deleted. */
interface Molecule {
  get_descriptors(): string;
  get_morgan_fp(details: string): string;
  get_smiles(): string;
  get_substruct_match(pattern: Molecule): string;
  get_substruct_matches(pattern: Molecule): string;
  delete(): void;
}

interface Decomposition {
  /** -1: the scaffold is no part of it. */
  add(molecule: Molecule): number;
  process(): boolean;
  get_rgroups_as_rows(): Readonly<Record<string, Molecule>>[];
}

interface Library {
  version(): string;
  get_mol(text: string): Molecule | null;
  get_qmol(smarts: string): Molecule | null;
  get_rgd(scaffold: Molecule, details: string): Decomposition | null;
}

type Loader = (options: { print(text: string): void; printErr(text: string): void }) => Promise<Library>;

const port = parentPort;
if (port === null) throw new Error('this module runs in a worker thread');
const report = (message: ChemistryReport): void => port.postMessage(message);
/** Complaints about single molecules are no news for the operator of the service. */
const silence = (): void => undefined;

/**
 * Null where the library throws: its own exceptions are no `Error`, and it stands them; a trap is one, and it does not.
 */
function unlessRefused<T>(call: () => T): T | null {
  try {
    return call();
  } catch (error) {
    if (error instanceof Error) throw error;
    return null;
  }
}

/** Null where the text is no molecule that there can be. */
function withMolecule<T>(library: Library, smiles: string, use: (molecule: Molecule) => T): T | null {
  const molecule = unlessRefused(() => library.get_mol(smiles));
  if (molecule === null) return null;
  try {
    return unlessRefused(() => use(molecule));
  } finally {
    molecule.delete();
  }
}

function patternsOf(library: Library, smarts: readonly string[]): Molecule[] {
  return smarts.map((text) => {
    const pattern = library.get_qmol(text);
    if (pattern === null) throw new Error(`${text} is no SMARTS`);
    return pattern;
  });
}

function describer(library: Library): (molecule: Molecule) => Descriptors {
  const [acceptors, alerts] = [patternsOf(library, ACCEPTORS), patternsOf(library, ALERTS)];
  // Without a match they give an object, not an array.
  const matches = (molecule: Molecule, pattern: Molecule): number => {
    const found: unknown = JSON.parse(molecule.get_substruct_matches(pattern));
    return Array.isArray(found) ? found.length : 0;
  };
  const hasMatch = (molecule: Molecule, pattern: Molecule): boolean => molecule.get_substruct_match(pattern) !== '{}';
  return (molecule) => {
    const own = JSON.parse(molecule.get_descriptors()) as Record<string, number>;
    return {
      mw: own['amw'],
      alogp: own['CrippenClogP'],
      hba: acceptors.reduce((sum, pattern) => sum + matches(molecule, pattern), 0),
      hbd: own['NumHBD'],
      psa: own['tpsa'],
      rotb: own['NumRotatableBonds'],
      arom: own['NumAromaticRings'],
      alerts: alerts.reduce((sum, pattern) => sum + (hasMatch(molecule, pattern) ? 1 : 0), 0),
      lipinski_hba: own['lipinskiHBA'],
      lipinski_hbd: own['lipinskiHBD'],
      fsp3: own['FractionCSP3'],
      rings: own['NumRings'],
      heavy_atoms: own['NumHeavyAtoms'],
      molar_refractivity: own['CrippenMR'],
      stereocentres: own['NumAtomStereoCenters'],
    };
  };
}

function decompose(library: Library, { smiles, scaffold }: ChemistryJob & { kind: 'r_groups' }): ChemistryAnswer {
  const none = { version: library.version(), descriptors: [], fingerprints: [], groups: [], hasScaffold: false };
  const core = unlessRefused(() => library.get_mol(scaffold));
  const decomposition = core === null ? null : unlessRefused(() => library.get_rgd(core, '{}'));
  if (decomposition === null) return none;
  const hasScaffold = smiles.map(
    (text) => withMolecule(library, text, (molecule) => decomposition.add(molecule) >= 0) ?? false,
  );
  if (!hasScaffold.includes(true)) return { ...none, hasScaffold: true, groups: smiles.map(() => null) };
  if (unlessRefused(() => decomposition.process()) !== true) return none;
  const rows = decomposition.get_rgroups_as_rows();
  if (rows.length !== hasScaffold.filter(Boolean).length) throw new Error('R-groups of some molecules are missing');
  let next = 0;
  const groups = hasScaffold.map((has) => {
    if (!has) return null;
    const entries = Object.entries(rows[next++]).filter(([site]) => site !== 'Core');
    return Object.fromEntries(entries.map(([site, group]) => [site, group.get_smiles()]));
  });
  return { ...none, hasScaffold: true, groups };
}

async function answer(job: ChemistryJob): Promise<ChemistryAnswer> {
  const load = createRequire(import.meta.url)(PACKAGE) as Loader;
  const library = await load({ print: silence, printErr: silence });
  if (job.kind === 'r_groups') return decompose(library, job);
  const parts = { version: library.version(), descriptors: [], fingerprints: [], groups: [], hasScaffold: false };
  if (job.kind === 'descriptors') {
    const describe = describer(library);
    return { ...parts, descriptors: job.smiles.map((text) => withMolecule(library, text, describe)) };
  }
  const print = (molecule: Molecule): string => molecule.get_morgan_fp('{"radius":2,"nBits":2048}');
  return { ...parts, fingerprints: job.smiles.map((text) => withMolecule(library, text, print)) };
}

answer(workerData as ChemistryJob).then(
  (found) => report({ kind: 'answer', answer: found }),
  (error: unknown) => report({ kind: 'failed', error: errorData(error) }),
);
