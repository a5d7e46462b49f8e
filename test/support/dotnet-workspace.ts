import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { status } from '@grpc/grpc-js'
import type { CommandAnswer } from './command-calls.ts'
import type { DotnetCalls } from './dotnet-calls.ts'
import { moment } from './message-pack-encoder.ts'

/** In PascalCase; timestamps are text. */
export type Fields = Readonly<Record<string, unknown>>

export interface DotnetWorkspace {
  /** The ids of one row of each kind that others refer to: OrganizationId, ProjectId and so on. */
  readonly ids: Readonly<Record<string, string>>
  /** The result of a command that was understood. `name` goes without `Command`. */
  call(entity: string, name: string, fields: Fields, token?: string): Promise<CommandAnswer['result']>
}

/** Rows that others refer to, made by commands of .NET clients. */
export async function furnishDotnet(calls: DotnetCalls, administrator: string): Promise<DotnetWorkspace> {
  const call: DotnetWorkspace['call'] = async (entity, name, fields, token = administrator) => {
    const { code, details, result } = await calls.call(entity, `${name}Command`, sent(fields), { token })
    assert.equal(code, status.OK, `${name}: ${status[code]} ${details}`)
    return result
  }
  const make = async (entity: string, fields: Fields) =>
    (await call(entity, `Create${entity}`, fields))[entity].Id
  const ids: Record<string, string> = {
    OrganizationId: await make('Organization', { Name: 'Lighthouse' }),
    WorkflowId: await make('Workflow', { Name: 'Doing', Order: 1 }),
    AssignmentTypeId: await make('AssignmentType', { Name: 'Feature' }),
    ImpedimentId: await make('Impediment', { Name: 'Waiting' }),
    UserId: await make('User', {
      Name: 'Grace',
      Login: `${randomUUID()}@example.com`,
      Password: 'Secret-123',
    }),
  }
  ids.ProjectId = await make('Project', { Name: 'Relaunch', OrganizationId: ids.OrganizationId })
  const dates = { StartDate: '2026-01-05T00:00:00Z', EndDate: '2026-01-09T00:00:00Z' }
  ids.AssignmentId = await make('Assignment', { Name: 'Write', ...dates, AmountHours: 4, ...ids })
  return { ids, call }
}

/** As a message has them: timestamps are messages of their own. */
export const sent = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' && momentPattern.test(value) ? moment(value) : value,
    ]),
  )

const momentPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/
