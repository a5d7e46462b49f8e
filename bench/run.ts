/** `npm run bench -- rest`: each benchmark starts what it measures, names its floor, and stops by itself. */
const benchmarks: Readonly<Record<string, (words: readonly string[]) => Promise<void>>> = {
  bank: async (words) => (await import('./bank/main.ts')).runBankBench(words),
  batch: async () => (await import('./batch/main.ts')).runBatchBench(),
  comparison: async (words) => (await import('./comparison/main.ts')).runComparisonBench(words),
  commands: async (words) => (await import('./commands/main.ts')).runCommandBench(words),
  compression: async () => (await import('./compression/main.ts')).runCompressionBench(),
  exports: async (words) => (await import('./exports/main.ts')).runExportsBench(words),
  framing: async () => (await import('./commands/framing.ts')).runFramingBench(),
  growth: async (words) => (await import('./growth/main.ts')).runGrowthBench(words),
  identity: async (words) => (await import('./identity/main.ts')).runIdentityBench(words),
  instructions: async (words) => (await import('./instructions/main.ts')).runInstructionsBench(words),
  live: async (words) => (await import('./live/main.ts')).runLiveBench(words),
  path: async (words) => (await import('./path/main.ts')).runPathBench(words),
  processes: async (words) => (await import('./processes/main.ts')).runProcessesBench(words),
  'read-connections': async () => (await import('./read-connections/main.ts')).runReadConnectionsBench(),
  rest: async (words) => (await import('./rest/main.ts')).runRestBench(words),
  'slow-reads': async (words) => (await import('./slow-reads/main.ts')).runSlowReadsBench(words),
  soak: async (words) => (await import('./soak/main.ts')).runSoak(words),
  web: async (words) => (await import('./web/main.ts')).runWebBench(words),
  start: async (words) => (await import('./start/main.ts')).runStartBench(words),
  webhooks: async (words) => (await import('./webhooks/main.ts')).runWebhookBench(words),
}

const [name = '', ...words] = process.argv.slice(2)
const run = Object.hasOwn(benchmarks, name) ? benchmarks[name] : undefined
if (run) {
  await run(words)
} else {
  console.error(`Usage: npm run bench -- ${Object.keys(benchmarks).join(' | ')}`)
  process.exitCode = 2
}
