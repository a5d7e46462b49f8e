import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { percentile } from '../load.ts'
import { cpuSecondsOf, memoryMegabytesOf } from '../process-usage.ts'
import type { Size } from './sizes.ts'

/** The maximum of an account (`liveListingsOfAccount`). */
const listingsOfAccount = 20
const writes = 5
const openTriesMax = 10

/**
 * Opens streams of one listing each for many accounts. Measures their memory and idle CPU, the latency of reads,
 * and the time from the response to a write of the member until all affected streams of the member have
 * reported it. A small store has too few accounts for many streams, so fewer are opened.
 */
export async function measureLive(size: Size, streamsMax: number) {
  const tokens = [size.tokens.member, ...(await size.signIn(Math.ceil(streamsMax / listingsOfAccount) - 1))]
  const streams = Math.min(streamsMax, tokens.length * listingsOfAccount)
  const memoryBefore = memoryMegabytesOf(size.host)
  const startedAt = performance.now()
  const opened = await openAll(size, tokens, streams)
  const openSeconds = (performance.now() - startedAt) / 1000
  await sleep(3000)
  const memory = memoryMegabytesOf(size.host)
  const idleBefore = cpuSecondsOf(size.host.pid ?? 0)
  await sleep(5000)
  const idle = (cpuSecondsOf(size.host.pid ?? 0) - idleBefore) / 5
  const [reports, reads] = await Promise.all([measureReports(size, opened), measureReads(size)])
  for (const { close } of opened) close()
  return {
    assignments: size.rows,
    streams: opened.filter(({ isOpen }) => isOpen()).length,
    'opened in s': rounded(openSeconds),
    'KiB each': Math.round(((memory - memoryBefore) * 1024) / streams),
    'idle CPU %': rounded(idle * 100),
    ...reports,
    ...reads,
  }
}

interface Stream {
  /** Returns the number of snapshots received so far. */
  snapshots(): number
  isOpen(): boolean
  close(): void
}

async function openAll({ port, store }: Size, tokens: readonly string[], streams: number): Promise<Stream[]> {
  const opened: Stream[] = []
  const open = async (index: number) => {
    const token = tokens[Math.floor(index / listingsOfAccount)] ?? ''
    const path = `/api/assignments?pageSize=20&projectId=${store.projects[index % store.projects.length]}`
    // A busy host rejects some streams with 503, and clients retry.
    for (let tries = 0; tries < openTriesMax; tries += 1) {
      const stream = await openStream(port, path, token)
      opened[index] = stream
      if (stream.isOpen()) return
      await sleep(1000)
    }
  }
  let next = 0
  const worker = async () => {
    while (next < streams) await open(next++)
  }
  await Promise.all(Array.from({ length: 64 }, worker))
  return opened
}

function openStream(port: number, path: string, token: string): Promise<Stream> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, accept: 'text/event-stream' }
    const sent = request({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      let [snapshots, isOpen] = [0, response.statusCode === 200]
      response.setEncoding('utf8')
      response.on('data', (text: string) => {
        snapshots += text.split('\ndata:').length - 1 + (text.startsWith('data:') ? 1 : 0)
      })
      response.on('error', () => undefined)
      response.on('close', () => {
        isOpen = false
      })
      resolve({ snapshots: () => snapshots, isOpen: () => isOpen, close: () => response.destroy() })
    })
    sent.on('error', reject).end()
  })
}

/** The first streams are the member's. A new assignment affects those of them that list its project. */
async function measureReports({ port, store, tokens }: Size, opened: readonly Stream[]) {
  const times: number[] = []
  for (let count = 0; count < writes; count += 1) {
    const { id: _id, ...row } = store.assignments[0] ?? {}
    const index = store.projects.indexOf(String(row.projectId))
    const affected = opened
      .slice(0, listingsOfAccount)
      .filter(({ isOpen }, at) => isOpen() && at % store.projects.length === index)
    const before = affected.map(({ snapshots }) => snapshots())
    const body = JSON.stringify({ ...row, id: randomUUID(), name: 'Reported' })
    const headers = { authorization: `Bearer ${tokens.member}`, 'content-type': 'application/json' }
    const answer = await fetch(`http://127.0.0.1:${port}/api/assignment`, { method: 'POST', headers, body })
    if (!answer.ok) throw new Error(`The write was answered ${answer.status}.`)
    const startedAt = performance.now()
    while (affected.some(({ snapshots }, at) => snapshots() === before[at])) {
      if (performance.now() - startedAt > 30_000)
        throw new Error('Not all streams reported a write within 30 seconds.')
      await sleep(5)
    }
    times.push(performance.now() - startedAt)
    await sleep(1500)
  }
  times.sort((first, second) => first - second)
  return {
    'report ms p50': Math.round(percentile(times, 0.5)),
    'report ms max': Math.round(times.at(-1) ?? 0),
  }
}

async function measureReads({ port, store, tokens }: Size) {
  const times: number[] = []
  for (let count = 0; count < 100; count += 1) {
    const startedAt = performance.now()
    const address = `http://127.0.0.1:${port}/api/assignment?id=${store.assignments[count]?.id}`
    await (await fetch(address, { headers: { authorization: `Bearer ${tokens.member}` } })).text()
    times.push(performance.now() - startedAt)
    await sleep(50)
  }
  times.sort((first, second) => first - second)
  return { 'get ms p50': rounded(percentile(times, 0.5)), 'get ms p99': rounded(percentile(times, 0.99)) }
}

const rounded = (number: number): number => Math.round(number * 10) / 10
