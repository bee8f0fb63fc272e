/** `extremum ask`: the conversation of the service at a terminal, without a service. */
import { writeFileSync } from 'node:fs';
import { createInterface, type Interface } from 'node:readline';
import { ExtremumError } from '../common/errors.js';
import { ConfigError, parseLanguageModel } from '../config.js';
import { openLanguageModel, type LanguageModel } from '../conversations/language-model.js';
import { typeNamed } from '../domains/configs.js';
import { beginConversation, continueConversation } from '../domains/conversational/conversation.js';
import { MOST_CHARACTERS, type ConversationState } from '../domains/conversational/state.js';
import { readingRequest } from '../domains/conversational/reading.js';
import { parseFlags } from './flags.js';
import { ExitCode } from './optimize.js';
import { solveHere, SOLVING_FLAGS, solvingOf } from './solve-here.js';
import { forReader, printable, printableLines } from './text-safety.js';

export const ASK_USAGE = 'extremum ask ["DESCRIPTION"] [--save FILE.json]';

const ASK_HELP = `Usage: ${ASK_USAGE} [--seed N] [--max-evaluations N] [--mode fast|balanced|accurate]
                    [--timeout SECONDS] [--pictures FOLDER] [--json]

A conversation that builds a business problem, then solves it. No service, no database, no key.

  extremum ask "We sell 1,300 parts a year. An order costs $8, keeping a part for a year 22.5 cents. How many per order?"

Answer each question in a line. "I don't know" takes a default where there is one; "no, 15" corrects the latest answer; an empty line
solves the problem once nothing is missing. Where standard input is no terminal, each of its lines is an answer, and its end solves
the problem.

--save writes the problem as a file for \`extremum domains solve\`. --pictures writes the pictures of the answer into the folder, as
SVG. --json prints the whole answer for programs; the conversation is then on standard error.
LANGUAGE_MODEL_URL, LANGUAGE_MODEL_NAME and LANGUAGE_MODEL_KEY name a language model that may read your words first; none is needed.

Exit codes: 0 solved; 1 no solution, or something is missing at the end of the input; 2 a flag is wrong; 130 interrupted.`;

export async function ask(argv: readonly string[]): Promise<ExitCode> {
  try {
    if (argv.includes('--help') || argv.includes('-h')) {
      console.log(ASK_HELP);
      return ExitCode.Done;
    }
    const flags = parseFlags(argv, [...SOLVING_FLAGS, 'save'], ['json']);
    const solving = solvingOf(flags);
    const settings = parseLanguageModel(process.env);
    const model = settings === null ? null : openLanguageModel(settings);
    const lines = new Lines(solving.isJson);
    const state = await hold(flags.positionals.join(' ').trim(), lines, model).finally(() => lines.close());
    if (state === null) return lines.isInterrupted ? ExitCode.Interrupted : ExitCode.Failed;
    const { domain, problem_type: name, config } = state;
    if (domain === null || name === null) throw new Error('a conversation is ready without a problem');
    const file = flags.value('save');
    if (file !== undefined) {
      writeFileSync(file, `${JSON.stringify({ domain, problem_type: name, config }, null, 2)}\n`);
      lines.say(`Saved: ${printable(file)}`);
    }
    return await solveHere(typeNamed(domain, name), config, solving);
  } catch (error) {
    const isTheirs =
      error instanceof ConfigError || (error instanceof ExtremumError && error.code === 'invalid_request');
    if (!isTheirs) throw error;
    console.error(printableLines(error.message));
    return ExitCode.Usage;
  }
}

/** Null: it ended before the problem was complete. */
async function hold(description: string, lines: Lines, model: LanguageModel | null): Promise<ConversationState | null> {
  const first = description === '' ? await lines.next('What do you want to optimize?') : description;
  if (first === null) return null;
  const reading = async (state: ConversationState | null, text: string) => {
    const read = model === null ? null : await model(readingRequest(state, text));
    if (read !== null && 'failure' in read) lines.say(`(The language model did not help: ${read.failure}.)`);
    return read !== null && 'reading' in read ? read.reading : undefined;
  };
  let state = beginConversation(first, await reading(null, first));
  let said = 0;
  for (;;) {
    for (const { role, text } of state.messages.slice(said)) if (role === 'agent') lines.say(text);
    said = state.messages.length;
    const isReady = state.status === 'ready_to_optimize';
    const answer = await lines.next(isReady ? 'Press Enter to solve this, or correct something.' : null);
    if (lines.isInterrupted) return null;
    if (answer === null || answer === '') {
      if (isReady) return state;
      if (answer === '') {
        const missing = state.missing.join(', ').replaceAll('_', ' ');
        lines.say(`${missing === '' ? '' : `Still missing: ${missing}. `}${state.messages.at(-1)?.text ?? ''}`);
        continue;
      }
      const what =
        state.missing.length > 0 ? `something is missing: ${state.missing.join(', ')}` : 'it contradicts itself';
      lines.say(`The input has ended, and ${what}.`);
      return null;
    }
    state = continueConversation(state, answer, await reading(state, answer));
  }
}

/** Lines that somebody types, or that come in a pipe. */
class Lines {
  private readonly interface: Interface;
  private readonly waiting: string[] = [];
  private wake: (() => void) | null = null;
  private isClosed = false;
  isInterrupted = false;

  constructor(private readonly isQuiet: boolean) {
    this.interface = createInterface({
      input: process.stdin,
      output: isQuiet ? process.stderr : process.stdout,
      terminal: process.stdin.isTTY,
    });
    const wake = (): void => {
      this.wake?.();
      this.wake = null;
    };
    this.interface
      .on('line', (line) => {
        this.waiting.push(line.slice(0, MOST_CHARACTERS).trim());
        wake();
      })
      .on('SIGINT', () => {
        this.isInterrupted = true;
        this.say('');
        this.interface.close();
      })
      .on('close', () => {
        this.isClosed = true;
        wake();
      });
  }

  /** Says something to whoever holds the conversation. */
  say(text: string): void {
    const stream = this.isQuiet ? process.stderr : process.stdout;
    stream.write(`${forReader(text, stream)}\n`);
  }

  /** Null: there are no more. */
  async next(question: string | null): Promise<string | null> {
    if (question !== null) this.say(question);
    if (process.stdin.isTTY) this.interface.prompt();
    while (this.waiting.length === 0 && !this.isClosed) {
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
    return this.waiting.shift() ?? null;
  }

  close(): void {
    this.interface.close();
  }
}
