/**
 * The partial evaluator: runs the program with everything that does not depend on `x` computed, and builds IR for the
 * rest. Loops with a static count unroll; user functions inline; a branch on a number that depends on `x` runs both
 * sides, each in a region of its own, and merges what they wrote.
 *
 * This is the composition: one object for each concern, which reach each other through `ev`. Start with `statements.ts`
 * (`execute`), `expressions.ts` (`evaluateAny`), `../machine/branches.ts` (`branch`) and `loops/`.
 */
import type { IrBuilder } from '../../ir/builder.js';
import type { InterpreterFacts } from '../../model/interpreter-facts.js';
import { ArrayOps } from '../arrays/arrays.js';
import { BulkArrays } from '../arrays/bulk-arrays.js';
import { BulkOps } from '../arrays/bulk.js';
import { ComplexOps } from '../arrays/complex.js';
import { KnownModules } from '../library/importing.js';
import { RandomNumbers } from '../library/random-numbers.js';
import { Branches } from '../machine/branches.js';
import { Cells } from '../machine/cells.js';
import type { Core } from '../machine/core.js';
import type { LibraryMachine } from '../library/library-machine.js';
import { Choices } from '../machine/choices.js';
import { Exits } from '../machine/exits.js';
import { LastingState } from '../machine/lasting-state.js';
import type { Roll } from '../machine/machine.js';
import { Memory } from '../machine/memory.js';
import { Merging } from '../machine/merging.js';
import { Ties } from '../machine/ties.js';
import { KnownTexts } from '../machine/known-texts.js';
import { Work } from '../machine/work.js';
import { ScalarOps } from '../values/scalars.js';
import { NO_NAMES } from '../values/scopes.js';
import type { Scope, Value } from '../values/values.js';
import { Assignment } from './assignment.js';
import { Calls } from './calls.js';
import { Comprehensions } from './comprehensions.js';
import { Deletion } from './deletion.js';
import { Equality } from './equality.js';
import { Expressions } from './expressions.js';
import { Functions } from './functions.js';
import { Items } from './items.js';
import { CountedLoops } from './loops/counted.js';
import { Rolling } from './loops/rolled.js';
import { Templates } from './loops/templates.js';
import { ForLoops } from './loops/unrolled.js';
import { WhileLoops } from './loops/while.js';
import { Names } from './names.js';
import { Operators } from './operators.js';
import { Sequences } from './sequences.js';
import { Statements } from './statements.js';
import { Stores } from './stores.js';
import { Texts } from './texts.js';
import { TryStatements } from './try-statements.js';

export class Evaluator implements Core, LibraryMachine {
  readonly ops: ScalarOps;
  readonly arrays: ArrayOps;
  readonly complex: ComplexOps;
  /** While the module is loaded nothing depends on `x`. */
  loading = true;
  /** Why a name that is not found may yet be defined: an `import *` that is not followed. */
  hidden: string | null = null;
  /** The clock when the module was loaded. */
  loadedAt = -1;
  readonly bulk: BulkOps;
  readonly bulkArrays: BulkArrays;
  readonly counted: CountedLoops;
  readonly memory: Memory;
  /** State that calls leave for later ones. */
  readonly lasting: LastingState;
  /** Whether anything was built that unrolling would have built differently. */
  hasRolled = false;
  readonly moduleScope: Scope = { kind: 'module', parent: null, cells: new Map(), names: NO_NAMES };
  readonly random: RandomNumbers;
  /** Those that `library/written-in-python.ts` has made. */
  libraryClasses = new Map<string, Value>();
  loadedClasses: ReadonlyMap<string, Value> = new Map();
  /** Effects of import statements. */
  readonly modules: KnownModules;
  readonly work: Work;
  readonly knownTexts: KnownTexts;
  readonly cells: Cells;
  readonly ties: Ties;
  readonly branches: Branches;
  readonly merging: Merging;
  readonly choices: Choices;
  readonly exits: Exits;
  readonly tries: TryStatements;
  readonly statements: Statements;
  readonly names: Names;
  readonly forLoops: ForLoops;
  readonly rolling: Rolling;
  readonly whileLoops: WhileLoops;
  readonly templates: Templates;
  readonly assignment: Assignment;
  readonly stores: Stores;
  readonly deletion: Deletion;
  readonly functions: Functions;
  readonly calls: Calls;
  readonly texts: Texts;
  readonly expressions: Expressions;
  readonly operators: Operators;
  readonly equality: Equality;
  readonly comprehensions: Comprehensions;
  readonly sequences: Sequences;
  readonly items: Items;

  constructor(
    public builder: IrBuilder,
    readonly pythonMinor: number,
    public roll: Roll,
    interpreter: InterpreterFacts | null = null,
  ) {
    this.work = new Work(this);
    this.knownTexts = new KnownTexts(this);
    this.cells = new Cells(this);
    this.ties = new Ties(this);
    this.branches = new Branches(this);
    this.merging = new Merging(this);
    this.choices = new Choices(this);
    this.exits = new Exits(this);
    this.tries = new TryStatements(this);
    this.statements = new Statements(this);
    this.names = new Names(this);
    this.forLoops = new ForLoops(this);
    this.rolling = new Rolling(this);
    this.whileLoops = new WhileLoops(this);
    this.templates = new Templates(this);
    this.assignment = new Assignment(this);
    this.stores = new Stores(this);
    this.deletion = new Deletion(this);
    this.functions = new Functions(this);
    this.calls = new Calls(this);
    this.texts = new Texts(this);
    this.expressions = new Expressions(this);
    this.operators = new Operators(this);
    this.equality = new Equality(this);
    this.comprehensions = new Comprehensions(this);
    this.sequences = new Sequences(this);
    this.items = new Items(this);
    this.modules = new KnownModules(interpreter, pythonMinor);
    this.ops = new ScalarOps(builder);
    this.arrays = new ArrayOps(this);
    this.complex = new ComplexOps(this);
    this.bulk = new BulkOps(this);
    this.bulkArrays = new BulkArrays(this);
    this.counted = new CountedLoops(this);
    this.memory = new Memory(this);
    this.lasting = new LastingState(this);
    this.random = new RandomNumbers(this);
    this.ops.intercept = (condition, status, exception) => this.exits.catchCheck(condition, status, exception);
    this.ops.isWatched = () => this.exits.handlers.length > 0;
  }

  /** Ends the loading of the module: what was made so far lasts from call to call. */
  endLoading(): void {
    this.loading = false;
    this.loadedAt = this.cells.clock++;
    this.cells.endLoading();
    this.work.loadingSteps = this.work.steps;
    this.random.endLoading();
    this.loadedClasses = new Map(this.libraryClasses);
  }

  /**
   * Begins another program of the same module. What the module has made holds for all of them: nothing of it depends on
   * x, and code that would change it is refused.
   */
  restart(builder: IrBuilder, roll: Roll, isSameProgram = false): void {
    if (isSameProgram) this.lasting.again();
    else this.lasting.forget();
    this.builder = builder;
    this.roll = roll;
    this.ops.restart(builder);
    this.complex.restart();
    this.random.restart();
    this.libraryClasses = new Map(this.loadedClasses);
    this.work.steps = this.work.loadingSteps;
    this.functions.callDepth = 0;
    this.cells.journals.length = 0;
    this.exits.handlers.length = 0;
    this.exits.frame = this.exits.newFrame();
    this.rolling.unrollable.clear();
    this.branches.assumptions.clear();
    this.choices.handedOver = null;
    this.hasRolled = false;
    this.ties.ties = new WeakMap();
    this.ties.tiedLists = new WeakSet();
    this.ties.carriedCells = new WeakSet();
  }
}
