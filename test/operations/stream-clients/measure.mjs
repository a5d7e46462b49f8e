// Compares when each client shows an event with when a bare socket in this process gets the same event, and
// prints a table.
import { spawn } from 'node:child_process'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'

const { REST, TOKEN, FOLDER, HAS_GO } = process.env
const address = `${REST}/api/organizations`
const changes = 10
/** A stream gets at most one event a second, so after this time a change is sent to all streams at once. */
const quietMilliseconds = 1500
const allowedSeconds = 0.1

const python = (name) => [name, [`${FOLDER}/venv/bin/python`, 'read_events.py', name]]
const clients = new Map([
  ...['requests', 'sseclient-py', 'httpx', 'urllib3'].map(python),
  ...(HAS_GO ? [['Go net/http', [`${FOLDER}/read-events`]]] : []),
  ['EventSource of undici', [process.execPath, 'read-events.mjs']],
  [
    'curl -N',
    ['curl', '-sN', '-H', `Authorization: Bearer ${TOKEN}`, '-H', 'Accept: text/event-stream', address],
  ],
])

async function write(method, body) {
  const response = await fetch(`${REST}/api/organization`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(await response.text())
  return (await response.json()).organization
}

/** Records the times of its events, and can wait for the next one. */
function eventRecorder() {
  const times = []
  let notify = () => undefined
  return {
    times,
    record: () => {
      times.push(performance.now())
      notify()
    },
    async until(count) {
      const end = performance.now() + 60_000
      while (times.length < count) {
        if (performance.now() > end) throw new Error(`${times.length} events, not ${count}.`)
        await Promise.race([
          new Promise((resolve) => (notify = resolve)),
          new Promise((resolve) => setTimeout(resolve, 1000)),
        ])
      }
    },
  }
}

function openReference() {
  const events = eventRecorder()
  const { hostname, port, pathname } = new URL(address)
  const socket = connect(Number(port), hostname)
  socket.write(
    `GET ${pathname} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAuthorization: Bearer ${TOKEN}\r\nAccept: text/event-stream\r\n\r\n`,
  )
  socket.on('data', (bytes) => bytes.includes('event: listing') && events.record())
  return { ...events, close: () => socket.destroy() }
}

const { id } = await write('POST', { name: 'Streams' })
let isSlow = false
for (const [name, [command, ...parameters]] of clients) {
  const reference = openReference()
  const shownEvents = eventRecorder()
  const child = spawn(command, parameters, {
    env: { ...process.env, URL: address },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  createInterface({ input: child.stdout }).on(
    'line',
    (line) => /^(event$|data:)/.test(line) && shownEvents.record(),
  )
  await Promise.all([reference.until(1), shownEvents.until(1)])
  const seconds = []
  for (let change = 1; change <= changes; change += 1) {
    await new Promise((resolve) => setTimeout(resolve, quietMilliseconds))
    const counts = [reference.times.length + 1, shownEvents.times.length + 1]
    await write('PATCH', { id, name: `Streams ${name} ${change}` })
    await Promise.all([reference.until(counts[0]), shownEvents.until(counts[1])])
    seconds.push((shownEvents.times.at(-1) - reference.times.at(-1)) / 1000)
  }
  child.kill()
  reference.close()
  seconds.sort((first, second) => first - second)
  const [median, maximum] = [seconds[Math.floor(seconds.length / 2)], seconds.at(-1)]
  isSlow ||= median > allowedSeconds
  process.stdout.write(`| ${name.padEnd(22)} | ${median.toFixed(3)} | ${maximum.toFixed(3)} |\n`)
}
process.exitCode = isSlow ? 1 : 0
