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
, expires_at INTEGER, revoked_at INTEGER) STRICT;

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
, batch_id TEXT, alone INTEGER NOT NULL DEFAULT 0, strikes INTEGER NOT NULL DEFAULT 0) STRICT;

CREATE INDEX runs_by_account ON runs (account_id, id);

CREATE INDEX runs_by_status ON runs (account_id, status, id);

CREATE INDEX runs_by_function ON runs (account_id, function_id, id);

CREATE INDEX runs_by_source ON runs (source_id);

CREATE INDEX runs_unfinished ON runs (id) WHERE status IN ('pending', 'running');

CREATE TABLE run_history (
  run_id TEXT PRIMARY KEY REFERENCES runs (id),
  points TEXT NOT NULL
) STRICT;

CREATE INDEX api_keys_by_account ON api_keys (account_id, id) WHERE revoked_at IS NULL;

CREATE TABLE account_settings (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id),
  body TEXT NOT NULL
) STRICT;

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
  answer TEXT, run_id TEXT,
  PRIMARY KEY (account_id, key)
) STRICT;

CREATE INDEX idempotent_requests_by_expiry ON idempotent_requests (expires_at);

CREATE TABLE batches (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  body TEXT NOT NULL
) STRICT;

CREATE INDEX batches_by_account ON batches (account_id, id);

CREATE INDEX runs_by_batch ON runs (batch_id, status, completed_at) WHERE batch_id IS NOT NULL;

CREATE TABLE run_events (
  run_id TEXT NOT NULL REFERENCES runs (id),
  -- From 1, without gaps.
  position INTEGER NOT NULL,
  event_id TEXT NOT NULL,
  body TEXT NOT NULL, relayed INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (run_id, position),
  UNIQUE (run_id, event_id)
) STRICT;

CREATE INDEX run_events_to_relay ON run_events (run_id, position) WHERE relayed = 0;

CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id),
  active INTEGER NOT NULL,
  failing_since INTEGER,
  body TEXT NOT NULL
) STRICT;

CREATE INDEX webhooks_by_account ON webhooks (account_id, id);

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

CREATE TABLE run_checkpoints (
  run_id TEXT PRIMARY KEY REFERENCES runs (id),
  -- Of a run that has ended: how long its state at the end is kept. Null: it has not.
  keep_until INTEGER,
  body BLOB NOT NULL
) STRICT;

CREATE INDEX run_checkpoints_by_expiry ON run_checkpoints (keep_until) WHERE keep_until IS NOT NULL;

CREATE TABLE lessons (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  version INTEGER NOT NULL,
  body TEXT, run_id TEXT, erasure INTEGER,
  PRIMARY KEY (account_id, version)
) STRICT;

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
  interpreted_cpu_micros INTEGER NOT NULL DEFAULT 0, check_micros INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, created_at, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX run_facts_by_status ON run_facts (account_id, status, created_at);

CREATE INDEX run_facts_by_origin ON run_facts (account_id, origin_id);

CREATE INDEX run_facts_by_duration ON run_facts (account_id, seconds) WHERE status = 'completed';

CREATE INDEX run_facts_derived ON run_facts (account_id, created_at, origin_id, status) WHERE origin_id <> id;

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
  last_completed_at INTEGER, check_micros INTEGER,
  PRIMARY KEY (account_id, unit, start)
) STRICT, WITHOUT ROWID;

CREATE TABLE open_rollups (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  unit TEXT NOT NULL CHECK (unit IN ('hour', 'day')),
  start INTEGER NOT NULL,
  PRIMARY KEY (account_id, unit, start)
) STRICT, WITHOUT ROWID;

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

CREATE TABLE federated_changes (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  -- From 1, without gaps.
  serial INTEGER NOT NULL,
  version INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (account_id, serial)
) STRICT;

CREATE TABLE misreadings (
  account_id TEXT NOT NULL REFERENCES accounts (id),
  sha256 TEXT NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY (account_id, sha256)
) STRICT;

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

CREATE INDEX runs_ended ON runs (account_id, completed_at, id, status) WHERE completed_at IS NOT NULL;

CREATE INDEX deliveries_by_run ON deliveries (run_id) WHERE run_id IS NOT NULL;

CREATE INDEX idempotent_requests_by_run ON idempotent_requests (run_id) WHERE run_id IS NOT NULL;

CREATE INDEX lessons_by_run ON lessons (run_id) WHERE run_id IS NOT NULL;

CREATE INDEX lessons_by_erasure ON lessons (account_id, erasure) WHERE erasure IS NOT NULL;

CREATE TABLE deleted_batch_runs (
  batch_id TEXT NOT NULL REFERENCES batches (id),
  run_id TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('completed', 'failed')),
  completed_at INTEGER NOT NULL,
  PRIMARY KEY (batch_id, run_id)
) STRICT, WITHOUT ROWID;

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
, dimensions INTEGER) STRICT;

CREATE INDEX run_summaries_by_account ON run_summaries (account_id, id);

CREATE INDEX run_summaries_by_status ON run_summaries (account_id, status, id);

CREATE INDEX run_summaries_by_function ON run_summaries (account_id, function_id, id);

CREATE INDEX run_summaries_by_strategy ON run_summaries (account_id, strategy, id) WHERE strategy IS NOT NULL;

CREATE INDEX run_summaries_by_best_fitness ON run_summaries (account_id, best_fitness, id, status, function_id, strategy);

CREATE INDEX run_summaries_by_evaluations ON run_summaries (account_id, evaluations, id, status, function_id, strategy);

CREATE INDEX run_summaries_by_duration_seconds
  ON run_summaries (account_id, duration_seconds, id, status, function_id, strategy);

CREATE INDEX run_summaries_to_complete ON run_summaries (id) WHERE words IS NULL;

CREATE INDEX run_summaries_by_dimensions ON run_summaries (account_id, dimensions, id);

CREATE TABLE dashboard_sessions (
  token_hash TEXT PRIMARY KEY,
  public_id TEXT NOT NULL,
  used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX dashboard_sessions_by_key ON dashboard_sessions (public_id, used_at);

CREATE INDEX dashboard_sessions_by_use ON dashboard_sessions (used_at);

CREATE INDEX deliveries_by_account ON deliveries (account_id, state, id);

CREATE INDEX deliveries_of_account ON deliveries (account_id, id);

CREATE TABLE run_monitoring (
  run_id TEXT PRIMARY KEY REFERENCES runs (id),
  body BLOB NOT NULL
) STRICT;
