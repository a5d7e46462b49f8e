import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Shot } from '../load.ts'
import type { System } from './own.ts'

const port = 5198
const api = `http://127.0.0.1:${port}/api`
const [projects, people, tasksOfProject] = [200, 100, 50]
/** Each of people with the same ten projects. */
const groups = 20
const startSecondsMax = 60
/** More would conflict in one project, which it answers with 500. */
const fillersAtOnce = 8

/**
 * Vikunja, a public project tracker in Go, as a folder has its program. Everything that can be left away is
 * off, and it is asked as its own client asks it; the rows are those of ours, written through its interface.
 */
export async function startVikunja(folder: string, url: string): Promise<System> {
  const root = mkdtempSync(join(tmpdir(), 'bench-vikunja-'))
  const child = spawn(join(folder, 'vikunja'), ['web'], {
    cwd: root,
    env: { ...process.env, ...settingsFor(url, root) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const stop = () => {
    child.kill('SIGINT')
    void once(child, 'exit').then(() => rmSync(root, { recursive: true, force: true }))
  }
  try {
    await untilReady()
    return { name: 'Vikunja', pid: child.pid ?? 0, port, shots: await fill(), stop }
  } catch (error) {
    stop()
    throw error
  }
}

function settingsFor(storeUrl: string, root: string) {
  // Of a socket; an address without a host is none to the parser.
  const url = new URL(storeUrl.replace('@/', '@localhost/'))
  return Object.fromEntries(
    Object.entries({
      SERVICE_INTERFACE: `127.0.0.1:${port}`,
      SERVICE_PUBLICURL: `http://127.0.0.1:${port}/`,
      SERVICE_ROOTPATH: root,
      SERVICE_SECRET: randomBytes(32).toString('hex'),
      SERVICE_JWTTTLSHORT: '86400',
      SERVICE_BCRYPTROUNDS: '4',
      SERVICE_ENABLECALDAV: 'false',
      SERVICE_ENABLELINKSHARING: 'false',
      SERVICE_ENABLETASKATTACHMENTS: 'false',
      SERVICE_ENABLETASKCOMMENTS: 'false',
      SERVICE_ENABLEEMAILREMINDERS: 'false',
      DATABASE_TYPE: 'postgres',
      DATABASE_HOST: url.searchParams.get('host') ?? '',
      DATABASE_USER: url.username,
      DATABASE_PASSWORD: url.password,
      DATABASE_DATABASE: url.pathname.slice(1),
      // The server takes a hundred, of all systems together.
      DATABASE_MAXOPENCONNECTIONS: '40',
      // By default each connection is opened again every ten seconds.
      DATABASE_MAXCONNECTIONLIFETIME: '3600000',
      LOG_ENABLED: 'true',
      LOG_HTTP: 'off',
      LOG_LEVEL: 'ERROR',
      LOG_STANDARD: 'stderr',
      RATELIMIT_ENABLED: 'false',
      RATELIMIT_NOAUTHLIMIT: '1000000',
      MAILER_ENABLED: 'false',
      WEBHOOKS_ENABLED: 'false',
      METRICS_ENABLED: 'false',
      BACKGROUNDS_ENABLED: 'false',
      CORS_ENABLE: 'false',
    }).map(([name, value]) => [`VIKUNJA_${name}`, value]),
  )
}

async function untilReady() {
  const deadline = performance.now() + startSecondsMax * 1000
  while (performance.now() < deadline) {
    const response = await fetch(`${api}/v1/info`).catch(() => undefined)
    if (response?.ok) return
    await sleep(100)
  }
  throw new Error('Vikunja did not start in time.')
}

interface Task {
  readonly id: number
  readonly project_id: number
}

/** 10,000 tasks in 200 projects, 100 people with ten projects each, of whom the first asks. */
async function fill(): Promise<System['shots']> {
  const owner = await signIn('owner')
  const member = await signIn(nameOf(1))
  for (let number = 2; number <= people; number += 1) await register(nameOf(number))
  const left = Array.from({ length: projects }, (_, index) => index + 1)
  const mine: Task[] = []
  const fillProjects = async () => {
    for (let number = left.pop(); number !== undefined; number = left.pop()) {
      const tasks = await fillProject(owner, number)
      if (number % groups === 1) mine.push(...tasks)
    }
  }
  await Promise.all(Array.from({ length: fillersAtOnce }, fillProjects))
  return shotsOf(member, mine)
}

async function fillProject(owner: string, number: number): Promise<Task[]> {
  const { id } = await ask(owner, 'PUT', '/v1/projects', { title: `Project ${number}` })
  for (let person = ((number - 1) % groups) + 1; person <= people; person += groups)
    await ask(owner, 'PUT', `/v1/projects/${id}/users`, { username: nameOf(person), permission: 1 })
  const tasks = Array.from({ length: tasksOfProject }, (_, count) => taskOf(number * tasksOfProject + count))
  const made: { readonly tasks: readonly Task[] } = await ask(
    owner,
    'POST',
    `/v2/projects/${id}/tasks/bulk`,
    {
      tasks,
    },
  )
  return made.tasks.map((task, index) => ({ ...tasks[index], id: task.id, project_id: id }))
}

const nameOf = (number: number): string => `person${number}`

const day = 86_400_000
const taskOf = (number: number) => ({
  title: `Assignment ${number}`,
  description: `What has to be done for number ${number}`,
  start_date: new Date(Date.now() + (number % 60) * day).toISOString(),
  end_date: new Date(Date.now() + ((number % 60) + 7) * day).toISOString(),
})

const password = randomBytes(16).toString('hex')

const register = (username: string) =>
  ask('', 'POST', '/v1/register', { username, password, email: `${username}@example.com` })

async function signIn(username: string): Promise<string> {
  await register(username)
  const { token } = await ask('', 'POST', '/v1/login', { username, password })
  return token
}

async function ask(token: string, method: string, path: string, body: unknown) {
  const response = await fetch(`${api}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} was answered with ${response.status}: ${text}`)
  return JSON.parse(text)
}

function shotsOf(token: string, tasks: readonly Task[]): System['shots'] {
  const mine = [...new Set(tasks.map(({ project_id }) => project_id))]
  const headers = { authorization: `Bearer ${token}` }
  const json = { ...headers, 'content-type': 'application/json' }
  const pick = <Item>(items: readonly Item[], count: number) => items[(count * 7919) % items.length] as Item
  const shot = (method: string, path: string, body?: object): Shot => ({
    method,
    path: `/api/v1${path}`,
    headers: body ? json : headers,
    ...(body && { body: JSON.stringify(body) }),
  })
  return {
    get: (count) => shot('GET', `/tasks/${pick(tasks, count).id}`),
    'list 20': (count) => shot('GET', `/projects/${pick(mine, count)}/tasks?per_page=20`),
    update: (count) => {
      const task = { ...pick(tasks, count), title: `Assignment, changed ${count} times` }
      return shot('POST', `/tasks/${task.id}`, task)
    },
    create: (count) => shot('PUT', `/projects/${pick(mine, count)}/tasks`, taskOf(count)),
  }
}
