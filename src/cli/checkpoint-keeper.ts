/** Keeps the checkpoint of one run of `extremum optimize` up to date: where it was asked for, or where the run came from. */
import path from 'node:path';
import { packageVersion } from '../common/version.js';
import type { RunReport } from '../runs/worker-protocol.js';
import { isReplaceable, writeCheckpoint, writeNewCheckpoint, type Checkpoint } from './checkpoint-file.js';
import { complain } from './text-safety.js';

export type RunBasis = Pick<Checkpoint, 'file' | 'source' | 'task' | 'blackBox' | 'pythonMinor'>;
/** What a report must have to go on from it. */
export type RunState = Pick<RunReport, 'progress'> & { readonly checkpoint: Uint8Array };

export class CheckpointKeeper {
  /** Null: only an interruption leaves a checkpoint, under a new name. */
  private readonly target: string | null;
  private failure: string | null = null;

  /** `wanted`: the file of `--checkpoint`; `resumed`: that of `--resume`. */
  constructor(
    private readonly basis: RunBasis,
    wanted: string | undefined,
    resumed: string | undefined,
  ) {
    this.target = wanted ?? (resumed !== undefined && isReplaceable(resumed) ? resumed : null);
  }

  /** While the run goes on. That it cannot be written is said once, and the run goes on. */
  update(state: RunState): void {
    if (this.target !== null) this.write(this.target, state);
  }

  /** At the end of what can be gone on from. Returns the file; null where there is none. */
  keep(state: RunState, isInterrupted: boolean): string | null {
    if (this.target !== null) return this.write(this.target, state);
    if (!isInterrupted) return null;
    try {
      return writeNewCheckpoint(path.basename(this.basis.file, '.py'), this.checkpointOf(state));
    } catch (error) {
      return this.fail(error);
    }
  }

  private write(target: string, state: RunState): string | null {
    try {
      writeCheckpoint(target, this.checkpointOf(state));
      return target;
    } catch (error) {
      return this.fail(error);
    }
  }

  private fail(error: unknown): null {
    const { message } = error as Error;
    if (message !== this.failure) complain(`The checkpoint could not be written: ${message}`);
    this.failure = message;
    return null;
  }

  private checkpointOf({ progress, checkpoint }: RunState): Checkpoint {
    const { file, source, task, blackBox, pythonMinor } = this.basis;
    const { evaluations, elapsedSeconds } = progress;
    const snapshot = new TextDecoder().decode(checkpoint);
    const basis = { file, source, task, blackBox, pythonMinor };
    return { program: packageVersion(), ...basis, evaluations, elapsedSeconds, snapshot };
  }
}
