// biome-ignore-all lint/suspicious/noConsole: what it prints is the result.
import { readFileSync } from 'node:fs'

/** A measured host. The hosts take turns, so that other work disturbs them equally. */
interface Host {
  readonly name: string
  readonly rest: string
  readonly identity: string
  readonly pid: string
  /** The CPU time of each round. */
  readonly milliseconds: number[]
  token: string
}
const words = process.argv.slice(2)
const hosts: Host[] = []
for (let index = 0; index < words.length; index += 4) {
  const [name = '', rest = '', identity = '', pid = ''] = words.slice(index, index + 4)
  hosts.push({ name, rest, identity, pid, milliseconds: [], token: '' })
}

const secret = process.env.Identity__ServiceClients__robot__Secret
const basic = Buffer.from(`robot:${secret}`).toString('base64')
for (const host of hosts) {
  const answer = await fetch(`http://127.0.0.1:${host.identity}/connect/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${basic}`, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'grant_type=client_credentials',
  })
  host.token = ((await answer.json()) as { access_token: string }).access_token
}

const cpuMilliseconds = ({ pid }: Host) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}
const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

async function readLists(host: Host, count: number) {
  let left = count
  const headers = { authorization: `Bearer ${host.token}`, traceparent }
  const clients = Array.from({ length: 8 }, async () => {
    while (left-- > 0) {
      const answer = await fetch(`http://127.0.0.1:${host.rest}/api/projects`, { headers })
      if (answer.status !== 200) throw new Error(`${host.name}: ${answer.status}`)
      await answer.arrayBuffer()
    }
  })
  await Promise.all(clients)
}

/** Enough, because the system counts CPU time in hundredths of a second. */
const listsPerRound = 600
for (const host of hosts) await readLists(host, listsPerRound)
for (let round = 0; round < 8; round += 1) {
  for (const host of hosts) {
    const before = cpuMilliseconds(host)
    await readLists(host, listsPerRound)
    host.milliseconds.push(cpuMilliseconds(host) - before)
  }
}
const median = (values: readonly number[]) =>
  values.toSorted((first, second) => first - second)[Math.floor(values.length / 2)] ?? 0
const alone = median(hosts[0]?.milliseconds ?? [])
for (const { name, milliseconds } of hosts) {
  const used = median(milliseconds)
  console.log(
    `${name}: ${((used * 1000) / listsPerRound).toFixed(0)} ms of CPU for 1,000 lists, ${(used / alone).toFixed(2)} times`,
  )
}
