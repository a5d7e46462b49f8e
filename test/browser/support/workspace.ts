import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'
import { type Entity, pathOf } from '../../contract/resources.ts'
import { cheapPasswords } from '../../support/cheap-passwords.ts'
import { type Account, insertAccount } from '../../support/insert-account.ts'
import { send } from '../../support/rest-host.ts'
import { administratorLogin, type TrackerHosts } from './tracker-hosts.ts'

type Body = Readonly<Record<string, unknown>>

export const password = 'Correct-Horse-1'

export interface TestWorkspace {
  readonly administrator: Account
  readonly mara: Account
  readonly jonas: Account
  readonly organizationId: string
  readonly projectId: string
  /** The ids of the stages by name: Backlog, Doing, Done. */
  readonly stages: Readonly<Record<string, string>>
  readonly typeId: string
  readonly impedimentId: string
  /** Creates a record. Like the next methods, it acts as the administrator, Rosa. */
  // biome-ignore lint/suspicious/noExplicitAny: a record is what came over the network
  make(resource: string, body: Body): Promise<any>
  change(method: 'PATCH' | 'DELETE', resource: string, body: Body): Promise<void>
  // biome-ignore lint/suspicious/noExplicitAny: a record is what came over the network
  call(method: string, path: string, body?: Body): Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: a record is what came over the network
  get(resource: string, id: string): Promise<any>
  /** Creates an assignment of Mara in the backlog, unless `values` say otherwise. Returns its id. */
  assignment(name: string, values?: Body): Promise<string>
  /** Creates another member who can sign in, for a test that needs a separate session. */
  join(name: string): Promise<Account>
}

/** Chooses an organization in a form, by its whole name. */
export async function chooseOrganization(form: Page | Locator, name: string): Promise<void> {
  await form.getByRole('combobox', { name: 'Organization' }).fill(name)
  await form.getByRole('option', { name }).click()
}

/** Creates a project with two members and three stages through the API. */
export async function makeWorkspace(hosts: TrackerHosts): Promise<TestWorkspace> {
  const passwordHash = await cheapPasswords().hash(password)
  const account = (name: string, login = `${name.split(' ')[0]?.toLowerCase()}@example.com`) =>
    insertAccount(hosts.database, { name, login, passwordHash })
  const administrator = await account('Rosa Root', administratorLogin)
  const [mara, jonas] = await Promise.all([account('Mara Lindqvist'), account('Jonas Weber')])
  const token = await robotToken(hosts)
  const call = async (method: string, path: string, body?: Body) => {
    const answer = await send(hosts.api, method, path, { token, ...(body && { body }) })
    assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }
  const make = async (resource: string, body: Body) =>
    (await call('POST', pathOf(resource as Entity), body))[resource]
  const organization = await make('organization', {
    name: 'Lighthouse Studio',
    description: 'Our own house.',
  })
  const stages: Record<string, string> = {}
  for (const [order, name] of ['Backlog', 'Doing', 'Done'].entries())
    stages[name] = (await make('workflow', { name, order })).id
  const type = await make('assignmentType', { name: 'Feature' })
  const impediment = await make('impediment', { name: 'Waiting for the customer' })
  const project = await make('project', { name: 'Website relaunch', organizationId: organization.id })
  for (const { id } of [mara, jonas]) await make('userProject', { projectId: project.id, userId: id })
  return {
    administrator,
    mara,
    jonas,
    organizationId: organization.id,
    projectId: project.id,
    stages,
    typeId: type.id,
    impedimentId: impediment.id,
    make,
    call,
    change: (method, resource, body) => call(method, `/api/${resource}`, body),
    get: async (resource, id) => (await call('GET', `/api/${resource}?id=${id}`))[resource],
    assignment: async (name, values = {}) =>
      (
        await make('assignment', {
          name,
          startDate: '2026-11-16',
          endDate: '2026-11-20',
          amountHours: 8,
          projectId: project.id,
          workflowId: stages.Backlog,
          userId: mara.id,
          assignmentTypeId: type.id,
          ...values,
        })
      ).id,
    async join(name) {
      const joined = await account(name)
      await make('userProject', { projectId: project.id, userId: joined.id })
      return joined
    },
  }
}

async function robotToken({ issuer, robot }: TrackerHosts): Promise<string> {
  const response = await fetch(`${issuer}/connect/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${robot.id}:${robot.secret}`)}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  })
  const answer = (await response.json()) as { access_token: string }
  return answer.access_token
}
