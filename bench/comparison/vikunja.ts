import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LoadRequest } from '../load.ts'
import type { System } from './own.ts'

const port = 5198
const api = `http://127.0.0.1:${port}/api`
const [projects, people, tasksOfProject] = [200, 100, 50]
/** The people of a group are members of the same ten projects. */
const groups = 20
const startSecondsMax = 60
/** More concurrent requests would conflict within a project, to which Vikunja responds with 500. */
const fillConcurrency = 8

/**
 * Starts Vikunja, a public project tracker in Go, from the folder with its program. All optional features are
 * off, and the requests are those of its own client. The rows equal those of the REST benchmark, and are
 * written through its API.
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
    return { name: 'Vikunja', pid: child.pid ?? 0, port, makeRequest: await fill(), stop }
  } catch (error) {
    stop()
    throw error
  }
}

function settingsFor(storeUrl: string, root: string) {
  // The URL names a socket instead of a host, which the parser does not accept.
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
      // The server accepts a hundred connections in total.
      DATABASE_MAXOPENCONNECTIONS: '40',
      // The default reopens each connection every ten seconds.
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

/**
 * Creates 10,000 tasks in 200 projects, and 100 people with ten projects each. The first person sends the
 * requests.
 */
async function fill(): Promise<System['makeRequest']> {
  const owner = await signIn('owner')
  const member = await signIn(nameOf(1))
  for (let number = 2; number <= people; number += 1) await register(nameOf(number))
  const remaining = Array.from({ length: projects }, (_, index) => index + 1)
  const memberTasks: Task[] = []
  const fillProjects = async () => {
    for (let number = remaining.pop(); number !== undefined; number = remaining.pop()) {
      const tasks = await fillProject(owner, number)
      if (number % groups === 1) memberTasks.push(...tasks)
    }
  }
  await Promise.all(Array.from({ length: fillConcurrency }, fillProjects))
  return requestMakersOf(member, memberTasks)
}

async function fillProject(owner: string, number: number): Promise<Task[]> {
  const { id } = await ask(owner, 'PUT', '/v1/projects', { title: `Project ${number}` })
  for (let person = ((number - 1) % groups) + 1; person <= people; person += groups)
    await ask(owner, 'PUT', `/v1/projects/${id}/users`, { username: nameOf(person), permission: 1 })
  const tasks = Array.from({ length: tasksOfProject }, (_, count) => taskOf(number * tasksOfProject + count))
  const created: { readonly tasks: readonly Task[] } = await ask(
    owner,
    'POST',
    `/v2/projects/${id}/tasks/bulk`,
    {
      tasks,
    },
  )
  return created.tasks.map((task, index) => ({ ...tasks[index], id: task.id, project_id: id }))
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

function requestMakersOf(token: string, tasks: readonly Task[]): System['makeRequest'] {
  const projectIds = [...new Set(tasks.map(({ project_id }) => project_id))]
  const headers = { authorization: `Bearer ${token}` }
  const json = { ...headers, 'content-type': 'application/json' }
  const pick = <Item>(items: readonly Item[], count: number) => items[(count * 7919) % items.length] as Item
  const requestTo = (method: string, path: string, body?: object): LoadRequest => ({
    method,
    path: `/api/v1${path}`,
    headers: body ? json : headers,
    ...(body && { body: JSON.stringify(body) }),
  })
  return {
    get: (count) => requestTo('GET', `/tasks/${pick(tasks, count).id}`),
    'list 20': (count) => requestTo('GET', `/projects/${pick(projectIds, count)}/tasks?per_page=20`),
    update: (count) => {
      const task = { ...pick(tasks, count), title: `Assignment, changed ${count} times` }
      return requestTo('POST', `/tasks/${task.id}`, task)
    },
    create: (count) => requestTo('PUT', `/projects/${pick(projectIds, count)}/tasks`, taskOf(count)),
  }
}
