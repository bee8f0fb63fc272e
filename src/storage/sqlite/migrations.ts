/**
 * The schema, as numbered steps: step `i` leads to `user_version` i + 1. Released steps are never edited; a change is a
 * new step. `schema.sql` beside this file shows the result of all of them (a test compares).
 *
 * Columns hold what is searched or fenced by; the rest is one JSON text per record (see ../codec.ts). Times are epoch
 * milliseconds.
 */
export const MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE accounts (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    body TEXT NOT NULL
  ) STRICT;

  CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    public_id TEXT NOT NULL UNIQUE,
    last_used_at INTEGER,
    body TEXT NOT NULL
  ) STRICT;

  -- Objective sources by content: functions and runs refer to them, so a run outlives its function's deletion.
  CREATE TABLE sources (
    id TEXT PRIMARY KEY,
    body TEXT NOT NULL
  ) STRICT;

  CREATE TABLE functions (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    source_id TEXT NOT NULL REFERENCES sources (id),
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX functions_by_account ON functions (account_id, id);
  CREATE INDEX functions_by_source ON functions (source_id);

  CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    function_id TEXT NOT NULL,
    source_id TEXT NOT NULL REFERENCES sources (id),
    status TEXT NOT NULL CHECK (status IN ('pending', 'running', 'completed', 'failed')),
    attempt INTEGER NOT NULL,
    losses INTEGER NOT NULL,
    cancel_requested INTEGER NOT NULL,
    -- Null unless running. An owner of null: given back.
    owner TEXT,
    lease_until INTEGER,
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    completed_at INTEGER,
    request TEXT NOT NULL,
    metadata TEXT NOT NULL,
    progress TEXT,
    ending TEXT
  ) STRICT;
  CREATE INDEX runs_by_account ON runs (account_id, id);
  CREATE INDEX runs_by_status ON runs (account_id, status, id);
  CREATE INDEX runs_by_function ON runs (account_id, function_id, id);
  CREATE INDEX runs_by_source ON runs (source_id);
  CREATE INDEX runs_unfinished ON runs (id) WHERE status IN ('pending', 'running');

  CREATE TABLE run_checkpoints (
    run_id TEXT PRIMARY KEY REFERENCES runs (id),
    body TEXT NOT NULL
  ) STRICT;

  CREATE TABLE run_history (
    run_id TEXT PRIMARY KEY REFERENCES runs (id),
    points TEXT NOT NULL
  ) STRICT;
  `,
  `
  ALTER TABLE api_keys ADD COLUMN expires_at INTEGER;
  ALTER TABLE api_keys ADD COLUMN revoked_at INTEGER;
  UPDATE api_keys SET expires_at = body ->> 'expiresAt', revoked_at = body ->> 'revokedAt';
  CREATE INDEX api_keys_by_account ON api_keys (account_id, id) WHERE revoked_at IS NULL;

  CREATE TABLE account_settings (
    account_id TEXT PRIMARY KEY REFERENCES accounts (id),
    body TEXT NOT NULL
  ) STRICT;
  `,
  `
  CREATE TABLE idempotent_requests (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    owner TEXT NOT NULL,
    lease_until INTEGER NOT NULL,
    claimed_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    seed TEXT NOT NULL,
    -- Null: somebody is at work on it, or died.
    answer TEXT,
    PRIMARY KEY (account_id, key)
  ) STRICT;
  CREATE INDEX idempotent_requests_by_expiry ON idempotent_requests (expires_at);
  `,
  `
  CREATE TABLE batches (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX batches_by_account ON batches (account_id, id);

  ALTER TABLE runs ADD COLUMN batch_id TEXT;
  CREATE INDEX runs_by_batch ON runs (batch_id, status, completed_at) WHERE batch_id IS NOT NULL;
  `,
  `
  CREATE TABLE run_events (
    run_id TEXT NOT NULL REFERENCES runs (id),
    -- From 1, without gaps.
    position INTEGER NOT NULL,
    event_id TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (run_id, position),
    UNIQUE (run_id, event_id)
  ) STRICT;
  `,
  `
  -- Of a run that has ended: how long its state at the end is kept. Null: it has not.
  ALTER TABLE run_checkpoints ADD COLUMN keep_until INTEGER;
  CREATE INDEX run_checkpoints_by_expiry ON run_checkpoints (keep_until) WHERE keep_until IS NOT NULL;
  `,
  `
  -- Whether webhooks were told. Of earlier events nobody had asked to be.
  ALTER TABLE run_events ADD COLUMN relayed INTEGER NOT NULL DEFAULT 0;
  UPDATE run_events SET relayed = 1;
  CREATE INDEX run_events_to_relay ON run_events (run_id, position) WHERE relayed = 0;

  CREATE TABLE webhooks (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    active INTEGER NOT NULL,
    failing_since INTEGER,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX webhooks_by_account ON webhooks (account_id, id);

  -- They outlive their webhook and the event's run.
  CREATE TABLE deliveries (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    webhook_id TEXT NOT NULL,
    run_id TEXT,
    event_id TEXT NOT NULL,
    event_type TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'delivering', 'succeeded', 'failed', 'cancelled')),
    fence INTEGER NOT NULL,
    tries INTEGER NOT NULL,
    -- When it may be claimed: the next attempt, or the end of a lease. Null: it has ended.
    due_at INTEGER,
    created_at INTEGER NOT NULL,
    body TEXT NOT NULL,
    attempts TEXT NOT NULL
  ) STRICT;
  CREATE INDEX deliveries_due ON deliveries (due_at, id, webhook_id) WHERE due_at IS NOT NULL;
  CREATE INDEX deliveries_by_webhook ON deliveries (webhook_id, id);
  CREATE INDEX deliveries_by_state ON deliveries (webhook_id, state, id);
  CREATE INDEX deliveries_ended ON deliveries (created_at) WHERE due_at IS NULL;
  `,
  `
  ALTER TABLE run_checkpoints RENAME TO text_checkpoints;
  CREATE TABLE run_checkpoints (
    run_id TEXT PRIMARY KEY REFERENCES runs (id),
    -- Of a run that has ended: how long its state at the end is kept. Null: it has not.
    keep_until INTEGER,
    body BLOB NOT NULL
  ) STRICT;
  INSERT INTO run_checkpoints (run_id, keep_until, body) SELECT run_id, keep_until, CAST(body AS BLOB) FROM text_checkpoints;
  DROP TABLE text_checkpoints;
  CREATE INDEX run_checkpoints_by_expiry ON run_checkpoints (keep_until) WHERE keep_until IS NOT NULL;
  `,
  `
  -- What runs taught their account. Versions are dense; of forgotten ones the last stays, without its body.
  CREATE TABLE lessons (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    version INTEGER NOT NULL,
    body TEXT,
    PRIMARY KEY (account_id, version)
  ) STRICT;
  `,
  `
  -- What is counted of runs. They outlive their records.
  CREATE TABLE run_facts (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    created_at INTEGER NOT NULL,
    id TEXT NOT NULL,
    origin_id TEXT NOT NULL,
    base_evaluations INTEGER NOT NULL,
    base_seconds REAL NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'running', 'completed', 'failed')),
    completed_at INTEGER,
    seconds REAL NOT NULL DEFAULT 0,
    evaluations INTEGER NOT NULL DEFAULT 0,
    cpu_micros INTEGER NOT NULL DEFAULT 0,
    gpu_micros INTEGER NOT NULL DEFAULT 0,
    peak_bytes INTEGER NOT NULL DEFAULT 0,
    bytes_in INTEGER NOT NULL DEFAULT 0,
    bytes_out INTEGER NOT NULL DEFAULT 0,
    idle_runs INTEGER NOT NULL DEFAULT 0,
    idle_evaluations INTEGER NOT NULL DEFAULT 0,
    idle_cpu_micros INTEGER NOT NULL DEFAULT 0,
    faulty_runs INTEGER NOT NULL DEFAULT 0,
    faulty_evaluations INTEGER NOT NULL DEFAULT 0,
    faulty_cpu_micros INTEGER NOT NULL DEFAULT 0,
    experiment_runs INTEGER NOT NULL DEFAULT 0,
    experiment_evaluations INTEGER NOT NULL DEFAULT 0,
    experiment_cpu_micros INTEGER NOT NULL DEFAULT 0,
    interpreted_runs INTEGER NOT NULL DEFAULT 0,
    interpreted_evaluations INTEGER NOT NULL DEFAULT 0,
    interpreted_cpu_micros INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, created_at, id)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX run_facts_by_status ON run_facts (account_id, status, created_at);
  CREATE INDEX run_facts_by_origin ON run_facts (account_id, origin_id);
  CREATE INDEX run_facts_by_duration ON run_facts (account_id, seconds) WHERE status = 'completed';
  CREATE INDEX run_facts_derived ON run_facts (account_id, created_at, origin_id, status) WHERE origin_id <> id;

  -- Sums of the facts of one hour or day.
  CREATE TABLE run_rollups (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    unit TEXT NOT NULL CHECK (unit IN ('hour', 'day')),
    start INTEGER NOT NULL,
    pending INTEGER,
    running INTEGER,
    completed INTEGER,
    failed INTEGER,
    original_pending INTEGER,
    original_running INTEGER,
    original_completed INTEGER,
    original_failed INTEGER,
    seconds REAL,
    completed_seconds REAL,
    evaluations INTEGER,
    cpu_micros INTEGER,
    gpu_micros INTEGER,
    bytes_in INTEGER,
    bytes_out INTEGER,
    peak_bytes INTEGER,
    largest_peak_bytes INTEGER,
    failed_evaluations INTEGER,
    failed_cpu_micros INTEGER,
    failed_gpu_micros INTEGER,
    idle_runs INTEGER,
    idle_evaluations INTEGER,
    idle_cpu_micros INTEGER,
    faulty_runs INTEGER,
    faulty_evaluations INTEGER,
    faulty_cpu_micros INTEGER,
    experiment_runs INTEGER,
    experiment_evaluations INTEGER,
    experiment_cpu_micros INTEGER,
    interpreted_runs INTEGER,
    interpreted_evaluations INTEGER,
    interpreted_cpu_micros INTEGER,
    first_created_at INTEGER,
    last_completed_at INTEGER,
    PRIMARY KEY (account_id, unit, start)
  ) STRICT, WITHOUT ROWID;
  -- Those that have to be summed yet, or again.
  CREATE TABLE open_rollups (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    unit TEXT NOT NULL CHECK (unit IN ('hour', 'day')),
    start INTEGER NOT NULL,
    PRIMARY KEY (account_id, unit, start)
  ) STRICT, WITHOUT ROWID;

  INSERT INTO run_facts (account_id, created_at, id, origin_id, base_evaluations, base_seconds, status, completed_at,
    seconds, evaluations)
  WITH RECURSIVE
    parents (id, parent) AS (
      SELECT id, coalesce(request ->> '$.extension.of', request ->> '$.replayOf') FROM runs
    ),
    chain (id, origin, depth) AS (
      SELECT id, id, 0 FROM parents
      UNION ALL
      SELECT chain.id, parents.parent, depth + 1 FROM chain JOIN parents ON parents.id = chain.origin
      WHERE parents.parent IS NOT NULL
    ),
    origins (id, origin, depth) AS (SELECT id, origin, max(depth) FROM chain GROUP BY id)
  SELECT account_id, created_at, runs.id, origin,
    coalesce(request ->> '$.extension.from.evaluations', 0),
    coalesce(request ->> '$.extension.from.elapsedSeconds', 0),
    status, completed_at,
    max(0, coalesce(ending ->> '$.durationSeconds', 0) - coalesce(request ->> '$.extension.from.elapsedSeconds', 0)),
    max(0, coalesce(ending ->> '$.evaluations', 0) - coalesce(request ->> '$.extension.from.evaluations', 0))
  FROM runs JOIN origins ON origins.id = runs.id;
  INSERT INTO open_rollups (account_id, unit, start)
  SELECT DISTINCT account_id, 'hour', created_at / 3600000 * 3600000 FROM run_facts;
  `,
  `
  CREATE TABLE studies (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX studies_by_account ON studies (account_id, id);

  CREATE TABLE study_entries (
    study_id TEXT NOT NULL REFERENCES studies (id),
    -- From 1, without gaps.
    seq INTEGER NOT NULL,
    token TEXT NOT NULL,
    summary TEXT NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (study_id, seq),
    UNIQUE (study_id, token)
  ) STRICT;

  CREATE TABLE study_snapshots (
    study_id TEXT PRIMARY KEY REFERENCES studies (id),
    seq INTEGER NOT NULL,
    body BLOB NOT NULL
  ) STRICT;
  `,
  `
  -- Runs that ended before there were facts: what of their evaluations could have been spared. What they used is not known.
  UPDATE run_facts SET faulty_runs = 1, faulty_evaluations = min(evaluations, ended.amount)
  FROM (SELECT account_id, created_at, id, ending ->> '$.failedEvaluations' AS amount FROM runs) AS ended
  WHERE (run_facts.account_id, run_facts.created_at, run_facts.id) = (ended.account_id, ended.created_at, ended.id)
    AND amount > 0 AND evaluations > 0 AND faulty_runs = 0;
  UPDATE run_facts SET experiment_runs = 1, experiment_evaluations = min(evaluations, ended.amount)
  FROM (SELECT account_id, created_at, id, ending ->> '$.experiment.evaluations' AS amount FROM runs) AS ended
  WHERE (run_facts.account_id, run_facts.created_at, run_facts.id) = (ended.account_id, ended.created_at, ended.id)
    AND amount > 0 AND evaluations > 0 AND experiment_runs = 0;
  UPDATE run_facts SET interpreted_runs = 1, interpreted_evaluations = evaluations
  FROM (SELECT account_id, created_at, id, json_array_length(ending, '$.backend.notCompiled') AS amount FROM runs) AS ended
  WHERE (run_facts.account_id, run_facts.created_at, run_facts.id) = (ended.account_id, ended.created_at, ended.id)
    AND amount > 0 AND evaluations > 0 AND interpreted_runs = 0;
  INSERT INTO open_rollups (account_id, unit, start)
  SELECT DISTINCT account_id, 'hour', created_at / 3600000 * 3600000 FROM run_facts
  WHERE faulty_runs + experiment_runs + interpreted_runs > 0 ON CONFLICT DO NOTHING;
  `,
  `
  -- What accounts exchange with other deployments. Each change has a row in lessons, too, which keeps its version; its body there is
  -- empty.
  CREATE TABLE federated_changes (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    -- From 1, without gaps.
    serial INTEGER NOT NULL,
    version INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (account_id, serial)
  ) STRICT;
  `,
  `
  -- Texts of functions that compiled code misreads, by the hash of their bytes. They outlive the functions.
  CREATE TABLE misreadings (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    sha256 TEXT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (account_id, sha256)
  ) STRICT;
  -- Time in which CPython checked values.
  ALTER TABLE run_facts ADD COLUMN check_micros INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE run_rollups ADD COLUMN check_micros INTEGER;
  `,
  `
  -- Whether the run is all that its owner carries out, and how often that owner died.
  ALTER TABLE runs ADD COLUMN alone INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE runs ADD COLUMN strikes INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- Dialogues that build a problem.
  CREATE TABLE conversations (
    id TEXT PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    -- From 1 on; what made it is its token.
    revision INTEGER NOT NULL,
    token TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX conversations_by_age ON conversations (updated_at);
  `,
  `
  -- Runs are removed: those that have ended, in the order of their ends, and what is to go with them.
  CREATE INDEX runs_ended ON runs (account_id, completed_at, id, status) WHERE completed_at IS NOT NULL;
  CREATE INDEX deliveries_by_run ON deliveries (run_id) WHERE run_id IS NOT NULL;
  -- The run that an answer is about. An empty answer: the run was removed.
  ALTER TABLE idempotent_requests ADD COLUMN run_id TEXT;
  CREATE INDEX idempotent_requests_by_run ON idempotent_requests (run_id) WHERE run_id IS NOT NULL;
  -- Null: a federated change, or forgotten.
  ALTER TABLE lessons ADD COLUMN run_id TEXT;
  -- Lessons that have lost their solutions are numbered, by account, from 1 on.
  ALTER TABLE lessons ADD COLUMN erasure INTEGER;
  UPDATE lessons SET run_id = CASE WHEN json_valid(body) THEN body ->> '$.runId' END;
  CREATE INDEX lessons_by_run ON lessons (run_id) WHERE run_id IS NOT NULL;
  CREATE INDEX lessons_by_erasure ON lessons (account_id, erasure) WHERE erasure IS NOT NULL;
  -- Members of batches that were removed.
  CREATE TABLE deleted_batch_runs (
    batch_id TEXT NOT NULL REFERENCES batches (id),
    run_id TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('completed', 'failed')),
    completed_at INTEGER NOT NULL,
    PRIMARY KEY (batch_id, run_id)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- What lists show of runs, and find them by.
  CREATE TABLE run_summaries (
    id TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    function_id TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('pending', 'running', 'completed', 'failed')),
    problem_type TEXT,
    -- Those that are null are known when the run has ended.
    strategy TEXT,
    best_fitness REAL,
    evaluations INTEGER NOT NULL,
    max_evaluations INTEGER NOT NULL,
    duration_seconds REAL,
    created_at INTEGER NOT NULL,
    completed_at INTEGER,
    -- Null: the run is of an earlier version, and this row is completed at the start of the service.
    words TEXT,
    curve TEXT NOT NULL
  ) STRICT;
  INSERT INTO run_summaries (id, account_id, function_id, status, evaluations, max_evaluations, created_at, completed_at, curve)
  SELECT id, account_id, function_id, status, 0, 0, created_at, completed_at, '[]' FROM runs;
  CREATE INDEX run_summaries_by_account ON run_summaries (account_id, id);
  CREATE INDEX run_summaries_by_status ON run_summaries (account_id, status, id);
  CREATE INDEX run_summaries_by_function ON run_summaries (account_id, function_id, id);
  CREATE INDEX run_summaries_by_strategy ON run_summaries (account_id, strategy, id) WHERE strategy IS NOT NULL;
  -- In the order of a key, with what is filtered by.
  CREATE INDEX run_summaries_by_best_fitness ON run_summaries (account_id, best_fitness, id, status, function_id, strategy);
  CREATE INDEX run_summaries_by_evaluations ON run_summaries (account_id, evaluations, id, status, function_id, strategy);
  CREATE INDEX run_summaries_by_duration_seconds
    ON run_summaries (account_id, duration_seconds, id, status, function_id, strategy);
  CREATE INDEX run_summaries_to_complete ON run_summaries (id) WHERE words IS NULL;
  `,
  `
  -- Null: the run solves a problem.
  ALTER TABLE run_summaries ADD COLUMN dimensions INTEGER;
  UPDATE run_summaries SET dimensions = (
    SELECT CASE WHEN json_valid(request) AND request ->> '$.problem' IS NULL THEN json_array_length(request, '$.task.bounds') END
    FROM runs WHERE runs.id = run_summaries.id
  );
  CREATE INDEX run_summaries_by_dimensions ON run_summaries (account_id, dimensions, id);
  `,
  `
  -- Browsers that have shown a key.
  CREATE TABLE dashboard_sessions (
    token_hash TEXT PRIMARY KEY,
    public_id TEXT NOT NULL,
    used_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX dashboard_sessions_by_key ON dashboard_sessions (public_id, used_at);
  CREATE INDEX dashboard_sessions_by_use ON dashboard_sessions (used_at);
  -- Deliveries of all webhooks.
  CREATE INDEX deliveries_by_account ON deliveries (account_id, state, id);
  CREATE INDEX deliveries_of_account ON deliveries (account_id, id);
  `,
  `
  -- Monitoring traces.
  CREATE TABLE run_monitoring (
    run_id TEXT PRIMARY KEY REFERENCES runs (id),
    body BLOB NOT NULL
  ) STRICT;
  `,
];
