import {
  type Answer,
  sendAlone,
  statementRequest,
  transactionRequest,
} from '../../src/hosts/bank/testing/transaction-load.ts'
import { checkConsistency } from './consistency.ts'

interface ChallengeOptions {
  readonly port: number
  readonly rampSeconds: number
  readonly holdSeconds: number
}

interface ChallengeResult {
  readonly requests: number
  /** Counts responses that the challenge does not accept. It accepts 200, and 422 for a debit over the limit. */
  readonly errors: number
  /** Descriptions of responses that contradict each other or the limits. */
  readonly inconsistencies: readonly string[]
  readonly latenciesMilliseconds: readonly number[]
}

/** Runs "Rinha de Backend 2024/Q1": its checks first, then its load. */
export async function runChallenge(options: ChallengeOptions): Promise<ChallengeResult> {
  const run = startRun(options.port)
  await checkConsistency(run.send, run.report)
  await runLoad(run, options)
  return run.result()
}

type Run = ReturnType<typeof startRun>

function startRun(port: number) {
  const latencies: number[] = []
  const inconsistencies: string[] = []
  let unanswered = 0
  let rejected = 0
  return {
    /** Sends each request on a separate connection, as the challenge does for its users. */
    async send(request: string): Promise<Answer> {
      const answer = await sendAlone(port, request).catch(() => ({ status: 0, body: '', milliseconds: 0 }))
      if (answer.status === 0) unanswered++
      else latencies.push(answer.milliseconds)
      return answer
    },
    report: (problem: string) => void inconsistencies.push(problem),
    reject: () => void rejected++,
    result: (): ChallengeResult => ({
      requests: latencies.length + unanswered,
      errors: unanswered + rejected,
      inconsistencies,
      latenciesMilliseconds: latencies,
    }),
  }
}

/** Runs an open load: a slow response does not delay later requests. */
async function runLoad(run: Run, { rampSeconds, holdSeconds }: ChallengeOptions): Promise<void> {
  const startedAt = performance.now()
  const requests: Promise<void>[] = []
  for (const { atMilliseconds, kind } of arrivalsOf(rampSeconds, holdSeconds)) {
    const wait = startedAt + atMilliseconds - performance.now()
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
    requests.push(sendRequest(run, kind))
  }
  await Promise.all(requests)
}

async function sendRequest(run: Run, kind: Kind): Promise<void> {
  const { status, body } = await run.send(requestOf(kind))
  if (status === 200) return isUnderLimit(body) ? run.report(`under the limit: ${body}`) : undefined
  if (status !== 0 && !(status === 422 && kind === 'debit')) run.reject()
}

type Kind = 'debit' | 'credit' | 'statement'

/** The arrivals per second at the end of the ramp. Each kind of request begins with one per second. */
const rates: Readonly<Record<Kind, number>> = { debit: 220, credit: 110, statement: 10 }

interface Arrival {
  readonly atMilliseconds: number
  readonly kind: Kind
}

function arrivalsOf(rampSeconds: number, holdSeconds: number): Arrival[] {
  return (Object.keys(rates) as Kind[])
    .flatMap((kind) =>
      timesOf(rates[kind], rampSeconds, holdSeconds).map((at) => ({ atMilliseconds: at * 1000, kind })),
    )
    .sort((first, second) => first.atMilliseconds - second.atMilliseconds)
}

/**
 * Returns the times of arrivals in seconds. The rate grows evenly, and the n-th arrival comes when the area
 * under the rate reaches n.
 */
function timesOf(rate: number, rampSeconds: number, holdSeconds: number): number[] {
  const growth = (rate - 1) / rampSeconds
  const ramp = Math.floor(((1 + rate) / 2) * rampSeconds)
  const timeOf = (n: number) => (Math.sqrt(1 + 2 * n * growth) - 1) / growth
  return [
    ...Array.from({ length: ramp }, (_, n) => timeOf(n)),
    ...Array.from({ length: rate * holdSeconds }, (_, n) => rampSeconds + n / rate),
  ]
}

function requestOf(kind: Kind): string {
  const client = 1 + Math.floor(Math.random() * 5)
  if (kind === 'statement') return statementRequest(client)
  const valor = 1 + Math.floor(Math.random() * 10_000)
  const descricao = Math.random().toString(36).slice(2, 12).padEnd(10, 'x')
  return transactionRequest(client, { valor, tipo: kind === 'debit' ? 'd' : 'c', descricao })
}

function isUnderLimit(body: string): boolean {
  const { saldo, limite } = JSON.parse(body)
  return typeof saldo === 'number' ? saldo < -limite : saldo.total < -saldo.limite
}
