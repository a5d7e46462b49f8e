/**
 * Run with `npm run bench -- rest`, for example. Each benchmark starts and stops everything that it measures.
 */
const benchmarks: Readonly<Record<string, (args: readonly string[]) => Promise<void>>> = {
  bank: async (args) => (await import('./bank/main.ts')).runBankBench(args),
  batch: async () => (await import('./batch/main.ts')).runBatchBench(),
  comparison: async (args) => (await import('./comparison/main.ts')).runComparisonBench(args),
  commands: async (args) => (await import('./commands/main.ts')).runCommandBench(args),
  compression: async () => (await import('./compression/main.ts')).runCompressionBench(),
  exports: async (args) => (await import('./exports/main.ts')).runExportsBench(args),
  framing: async () => (await import('./commands/framing.ts')).runFramingBench(),
  growth: async (args) => (await import('./growth/main.ts')).runGrowthBench(args),
  identity: async (args) => (await import('./identity/main.ts')).runIdentityBench(args),
  instructions: async (args) => (await import('./instructions/main.ts')).runInstructionsBench(args),
  live: async (args) => (await import('./live/main.ts')).runLiveBench(args),
  path: async (args) => (await import('./path/main.ts')).runPathBench(args),
  processes: async (args) => (await import('./processes/main.ts')).runProcessesBench(args),
  'read-connections': async () => (await import('./read-connections/main.ts')).runReadConnectionsBench(),
  rest: async (args) => (await import('./rest/main.ts')).runRestBench(args),
  'slow-reads': async (args) => (await import('./slow-reads/main.ts')).runSlowReadsBench(args),
  soak: async (args) => (await import('./soak/main.ts')).runSoak(args),
  web: async (args) => (await import('./web/main.ts')).runWebBench(args),
  start: async (args) => (await import('./start/main.ts')).runStartBench(args),
  webhooks: async (args) => (await import('./webhooks/main.ts')).runWebhookBench(args),
}

const [name = '', ...args] = process.argv.slice(2)
const run = Object.hasOwn(benchmarks, name) ? benchmarks[name] : undefined
if (run) {
  await run(args)
} else {
  console.error(`Usage: npm run bench -- ${Object.keys(benchmarks).join(' | ')}`)
  process.exitCode = 2
}
