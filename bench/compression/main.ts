import { randomUUID } from 'node:crypto'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/**
 * Measures the cost and gain of each compression level on a list of 100 assignments, as the REST host writes
 * it.
 */
export async function runCompressionBench(): Promise<void> {
  const body = Buffer.from(JSON.stringify(listOf(100)))
  const codings = [
    ...[3, 4, 5].map((level) => ({ name: `brotli ${level}`, compress: () => brotliOf(body, level) })),
    ...[3, 4, 6].map((level) => ({ name: `gzip ${level}`, compress: () => gzipSync(body, { level }) })),
  ]
  const seconds = new Map<string, number[]>()
  for (let round = 0; round < rounds; round += 1) {
    for (const { name, compress } of codings)
      seconds.set(name, [...(seconds.get(name) ?? []), secondsOf(compress)])
  }
  console.table(
    codings.map(({ name, compress }) => ({
      coding: name,
      bytes: compress().length,
      'of plain': `${Math.round((compress().length / body.length) * 1000) / 10} %`,
      'CPU ms': Math.round(((medianOf(seconds.get(name) ?? []) * 1000) / repeats) * 1000) / 1000,
    })),
  )
  console.log(`plain: ${body.length} bytes`)
}

const rounds = 7
const repeats = 50

/** The same parameters as the host's. */
const brotliOf = (body: Buffer, level: number): Buffer =>
  brotliCompressSync(body, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: level,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      [constants.BROTLI_PARAM_LGWIN]: 18,
    },
  })

function secondsOf(compress: () => Buffer): number {
  const before = process.cpuUsage()
  for (let repeat = 0; repeat < repeats; repeat += 1) compress()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000_000
}

const medianOf = (numbers: readonly number[]): number =>
  numbers.toSorted((first, second) => first - second)[Math.floor(numbers.length / 2)] ?? 0

/** The rows of the REST benchmark: ten projects, five workflows, a hundred people, five types. */
function listOf(count: number) {
  const ids = (many: number) => Array.from({ length: many }, () => randomUUID())
  const [projects, workflows, users, types] = [ids(10), ids(5), ids(100), ids(5)]
  const rows = Array.from({ length: count }, (_, n) => ({
    id: randomUUID(),
    name: `Assignment ${n}`,
    description: `What has to be done for number ${n}`,
    startDate: new Date(Date.UTC(2026, 0, 1 + (n % 60), 9)).toISOString(),
    endDate: new Date(Date.UTC(2026, 0, 8 + (n % 60), 9)).toISOString(),
    amountHours: n % 40,
    projectId: projects[n % 10],
    workflowId: workflows[n % 5],
    userId: users[n % 100],
    assignmentTypeId: types[n % 5],
  }))
  return { data: rows, totalCount: count, pageNumber: 1, pageSize: count, totalPages: 1 }
}
