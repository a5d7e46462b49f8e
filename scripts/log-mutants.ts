import type { Mutant } from './mutant-table.ts'

/** Rules about the log and about telemetry. */
export const logMutants: readonly Mutant[] = [
  {
    file: 'src/http/log.ts',
    rule: 'in a terminal, requests are logged only if LOG_LEVEL says so',
    from: "level: level ?? (isTerminal ? 'warn' : 'info')",
    to: "level: level ?? 'info'",
    tests: ['http/readable-log'],
  },
  {
    file: 'src/http/log.ts',
    rule: 'the log is JSON if the output is not a terminal',
    from: 'destination === undefined && process.stdout.isTTY,',
    to: 'destination === undefined,',
    tests: ['http/readable-log'],
  },
  {
    file: 'src/http/log.ts',
    rule: 'logged values do not control the terminal',
    from: ', escapeCharacter)',
    to: ', (character) => character)',
    tests: ['http/readable-log'],
  },
  {
    file: 'src/cli/shared-store.ts',
    rule: 'statements during startup are not reported as slow',
    from: 'startedAt < watchedFrom || ',
    to: '',
    tests: ['slow-statements'],
  },
  {
    file: 'src/observability/open-telemetry.ts',
    rule: 'a span has the end time of its work, however late it is reported',
    from: 'endTimeUnixNano: nanosecondsAt(startedAt + seconds * 1000)',
    to: 'endTimeUnixNano: nanosecondsAt(performance.now())',
    tests: ['observability/open-telemetry'],
  },
  {
    file: 'src/observability/metrics.ts',
    rule: 'a value counts in one bucket in OTLP, and in all larger ones in Prometheus',
    from: 'series.counts.push(value - series.count)',
    to: 'series.counts.push(value)',
    tests: ['observability/open-telemetry'],
  },
  {
    file: 'src/observability/metrics.ts',
    rule: 'a gauge that is read for the metrics page replaces its previous value',
    from: '          this.reset()\n',
    to: '',
    tests: ['http/metrics'],
  },
  {
    file: 'src/http/host-metrics.ts',
    rule: 'the time of a statement in a transaction counts only as a part of the transaction',
    from: "if (kind !== 'in transaction') record",
    to: 'record',
    tests: ['host-metrics'],
  },
]
