import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from '../../db/sql.ts'
import { entityTag, matchesTag } from '../../http/conditional.ts'
import type { Caller } from '../../model/caller.ts'
import { uuid } from '../../model/field-kinds.ts'
import { forbidden, invalid, notFound } from '../../model/problem.ts'
import type { Context } from '../../records/context.ts'
import { calendarScope } from '../../records/rights.ts'
import { visibleRows } from '../../records/visible-rows.ts'
import { assignment } from '../../resources/assignment.ts'
import { project } from '../../resources/project.ts'
import type { Route } from '../../routes/route.ts'
import { type CalendarEvent, writeCalendar } from './icalendar.ts'

/** Calendars show what is due and what was done lately. The newest end first, where there is more. */
const eventsMax = 2000
const pastDays = 180

/** A calendar that other programs subscribe to: they send no headers, so a token may be in the address. */
export const calendarRoute = (webOrigin: string | undefined): Route => ({
  id: 'SubscribeToCalendar',
  tag: 'Calendar',
  summary: 'Returns assignments as an iCalendar file (RFC 5545), for programs that subscribe to calendars.',
  description: `The assignments that the caller is responsible for or works on; with projectId all of that project. Assignments that ended more than ${pastDays} days ago are omitted, and there are at most ${eventsMax}, those that end last. Calendar programs cannot send headers, so the token may be a parameter: a personal access token whose only scope is ${calendarScope}, which covers nothing else. A new password, or the removal of the token, ends the subscription.`,
  method: 'GET',
  path: '/ext/calendar.ics',
  parameters: [
    {
      name: 'token',
      description: 'The token, if there is no Authorization header.',
      schema: { type: 'string', maxLength: 200 },
    },
    { name: 'projectId', description: 'The project; by default all of them.', schema: uuid.schema },
  ],
  answer: { type: 'string' },
  answerTypes: ['text/calendar'],
  errors: [400, 403, 404],
  acceptsPersonalAccessTokens: true,
  acceptsTokenInQuery: true,
  async handle({ context, caller, request, reply }) {
    const reader = calendarReader(caller)
    const projectId = parseProjectId(request)
    const name = projectId === undefined ? 'Tracker' : await requireProject(context, reader, projectId)
    const events = await readEvents(context, reader, projectId)
    send(request, reply, caller, writeCalendar(name, events.map(eventWith(webOrigin))))
    return undefined
  },
})

/** The scope covers what a calendar shows. It covers nothing else, because addresses end up in logs and in settings. */
function calendarReader(caller: Caller): Caller {
  const { token } = caller
  if (!token) return caller
  if (token.scopes.length !== 1 || token.scopes[0] !== calendarScope)
    throw forbidden(`A token for calendars must have ${calendarScope} as its only scope.`)
  return { ...caller, token: { ...token, scopes: shownScopes } }
}

const shownScopes = ['assignment:read', 'project:read']

function parseProjectId(request: FastifyRequest): string | undefined {
  const { projectId } = request.query as Readonly<Record<string, unknown>>
  if (projectId === undefined) return undefined
  const reading = uuid.parse(projectId, 'ProjectId')
  if ('problems' in reading) throw invalid({ projectId: reading.problems })
  return reading.value
}

async function requireProject({ database }: Context, reader: Caller, id: string): Promise<string> {
  const [row] = await database.query<{ name: string }>(sql`
    select row.name from projects as row where row.id = ${id} and row.active and ${visibleRows(project, reader)}`)
  if (!row) throw notFound('Project')
  return row.name
}

interface ShownAssignment {
  readonly id: string
  readonly projectId: string
  readonly name: string
  readonly description: string | null
  readonly startDate: string
  readonly endDate: string
  readonly changedAt: string
  readonly projectName: string
  readonly stageName: string
}

function readEvents({ database }: Context, reader: Caller, projectId: string | undefined) {
  const wanted =
    projectId === undefined
      ? sql`row.id in (
          select id from assignments where active and user_id = ${reader.id}
          union all select assignment_id from user_assignments where active and user_id = ${reader.id})`
      : sql`row.project_id = ${projectId}`
  return database.query<ShownAssignment>(sql`
    select row.id, row.project_id as "projectId", row.name, row.description, row.start_date as "startDate",
      row.end_date as "endDate", coalesce(row.updated_at, row.created_at) as "changedAt",
      project.name as "projectName", workflow.name as "stageName"
    from assignments as row join projects as project on project.id = row.project_id
      join workflows as workflow on workflow.id = row.workflow_id
    where row.active and ${wanted} and ${visibleRows(assignment, reader)}
      and row.end_date > now() - make_interval(days => ${pastDays}::int)
    order by row.end_date desc, row.id limit ${eventsMax}::int`)
}

const eventWith =
  (webOrigin: string | undefined) =>
  ({ id, projectId, name, description, ...its }: ShownAssignment): CalendarEvent => ({
    id,
    summary: name,
    description,
    firstDay: its.startDate,
    lastDay: its.endDate,
    categories: [its.projectName, its.stageName],
    changedAt: its.changedAt,
    url: webOrigin && `${webOrigin}/projects/${projectId}/assignments/${id}`,
  })

/** Programs ask every hour, and mostly get 304. */
function send(request: FastifyRequest, reply: FastifyReply, caller: Caller, body: string): void {
  const tag = entityTag(caller.id, caller.isAdministrator, body)
  reply.headers({
    etag: tag,
    'cache-control': 'private, no-cache',
    // The address may contain the token, and a description a link that somebody follows.
    'referrer-policy': 'no-referrer',
  })
  const held = request.headers['if-none-match']
  if (held !== undefined && matchesTag(held, tag)) reply.code(304).send()
  else
    reply
      .headers({
        'content-type': 'text/calendar; charset=utf-8',
        'content-disposition': 'attachment; filename="tracker.ics"',
      })
      .send(body)
}
