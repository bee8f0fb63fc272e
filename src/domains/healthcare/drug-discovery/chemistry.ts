/**
 * Molecules by RDKit, from the optional package `@rdkit/rdkit`: descriptors, fingerprints, decomposition into R-groups.
 * The library works in a thread of its own, which is ended once the answer is there or the run is over: a call of it
 * blocks.
 */
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { distEntry } from '../../../common/dist-entry.js';
import { errorFrom, type ErrorData } from '../../../common/thread-call.js';
import { workerExecArgv } from '../../../common/worker-threads.js';
import type { Complain } from '../../fields.js';
import { Unsolved, type SolveContext, Interrupted } from '../../problem-type.js';

export const PACKAGE = '@rdkit/rdkit';

/** Computations that the thread makes on molecules, in their order. */
export type ChemistryJob =
  | { readonly kind: 'descriptors' | 'fingerprints'; readonly smiles: readonly string[] }
  | { readonly kind: 'r_groups'; readonly smiles: readonly string[]; readonly scaffold: string };

/** Properties of a molecule by the names that configs use. */
export type Descriptors = Readonly<Record<string, number>>;

/** Null: RDKit cannot read the molecule or, for R-groups, the scaffold is no part of it. */
export interface ChemistryAnswer {
  readonly version: string;
  readonly descriptors: readonly (Descriptors | null)[];
  /** Morgan fingerprints of radius 2 and 2,048 bits, as texts of 0 and 1. */
  readonly fingerprints: readonly (string | null)[];
  /** SMILES of each site's substituent, by the site's name. */
  readonly groups: readonly (Readonly<Record<string, string>> | null)[];
  /** Whether the scaffold could be read, and R-groups be told apart by it. */
  readonly hasScaffold: boolean;
}

export type ChemistryReport =
  | { readonly kind: 'answer'; readonly answer: ChemistryAnswer }
  | { readonly kind: 'failed'; readonly error: ErrorData };

/** Names of `Descriptors`. */
export const COMPUTED = [
  ...['mw', 'alogp', 'hba', 'hbd', 'psa', 'rotb', 'arom', 'alerts'],
  ...['lipinski_hba', 'lipinski_hbd', 'fsp3', 'rings', 'heavy_atoms', 'molar_refractivity', 'stereocentres'],
] as const;

const require = createRequire(import.meta.url);

function isInstalled(): boolean {
  try {
    require.resolve(PACKAGE);
    return true;
  } catch {
    return false;
  }
}

/** Complains about the field that needs the package where there is none; true where there is. */
export function checkInstalled(path: readonly PropertyKey[], complain: Complain): boolean {
  if (isInstalled()) return true;
  complain(
    path,
    `\`{field}\` needs the optional package \`${PACKAGE}\`, which this service does not have: \`npm install ${PACKAGE}\`. Given numbers work without it.`,
  );
  return false;
}

const LOOK_MS = 50;

/** @throws {Interrupted} once the run is over; {Unsolved} where the library fails, with its error as the cause */
export async function compute(job: ChemistryJob, context: SolveContext): Promise<ChemistryAnswer> {
  context.look();
  const worker = new Worker(distEntry('domains/healthcare/drug-discovery/chemistry-worker'), {
    execArgv: workerExecArgv(),
    workerData: job,
  });
  let look: NodeJS.Timeout | undefined;
  try {
    return await new Promise<ChemistryAnswer>((resolve, reject) => {
      look = setInterval(() => {
        if (context.isOver()) reject(new Interrupted('the run is over'));
      }, LOOK_MS);
      worker.on('message', (report: ChemistryReport) => {
        if (report.kind === 'answer') resolve(report.answer);
        else {
          const cause = errorFrom(report.error);
          reject(new Unsolved(`RDKit failed (${cause.message})`, { cause }));
        }
      });
      worker.on('error', reject);
      worker.on('exit', () => reject(new Error('the thread of RDKit ended before its answer')));
    });
  } finally {
    clearInterval(look);
    await worker.terminate();
  }
}
