import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from '../db/sql.ts'
import { entityTag, matchesTag } from '../http/representations.ts'
import type { Caller } from '../model/caller.ts'
import { uuid } from '../model/field-kinds.ts'
import { forbidden, invalid, notFound } from '../model/problem.ts'
import type { Context } from '../records/context.ts'
import { calendarScope } from '../records/rights.ts'
import { visibleRows } from '../records/visible-rows.ts'
import { assignment } from '../resources/assignment.ts'
import { project } from '../resources/project.ts'
import type { Route } from '../routes/route.ts'

/**
 * Calendars show current and recent work. If there are more assignments, the ones that end last are returned.
 */
const eventsMax = 2000
const pastDays = 180

/**
 * Serves a calendar that other programs subscribe to. They cannot send headers, so the URL may contain a
 * token.
 */
export const calendarRoute = (webOrigin: string | undefined): Route => ({
  id: 'SubscribeToCalendar',
  tag: 'Calendar',
  summary: 'Returns assignments as an iCalendar file (RFC 5545), for programs that subscribe to calendars.',
  description: `Returns the assignments that the caller is responsible for or works on; with projectId, all assignments of that project. Assignments without dates and those that ended more than ${pastDays} days ago are omitted; if more than ${eventsMax} remain, those that end last are returned. Calendar programs cannot send headers, so the token may be a parameter: a personal access token whose only scope is ${calendarScope}, which covers nothing else. The subscription ends when the account gets a new password or the token is removed.`,
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
  response: { type: 'string' },
  responseTypes: ['text/calendar'],
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

/**
 * Returns the caller whose rights apply to the calendar. A personal access token must have only the scope of
 * calendars, because URLs end up in logs and in settings. For this request, the scope allows reading
 * assignments and projects.
 */
function calendarReader(caller: Caller): Caller {
  const { token } = caller
  if (!token) return caller
  if (token.scopes.length !== 1 || token.scopes[0] !== calendarScope)
    throw forbidden(`A token for calendars must have ${calendarScope} as its only scope.`)
  return { ...caller, token: { ...token, scopes: calendarReadScopes } }
}

const calendarReadScopes = ['assignment:read', 'project:read']

function parseProjectId(request: FastifyRequest): string | undefined {
  const { projectId } = request.query as Readonly<Record<string, unknown>>
  if (projectId === undefined) return undefined
  const parsed = uuid.parse(projectId, 'ProjectId')
  if ('problems' in parsed) throw invalid({ projectId: parsed.problems })
  return parsed.value
}

async function requireProject({ database }: Context, reader: Caller, id: string): Promise<string> {
  const [row] = await database.query<{ name: string }>(sql`
    select row.name from projects as row where row.id = ${id} and row.active and ${visibleRows(project, reader)}`)
  if (!row) throw notFound('Project')
  return row.name
}

interface CalendarAssignment {
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
  const selection =
    projectId === undefined
      ? sql`row.id in (
          select id from assignments where active and user_id = ${reader.id} and not is_unassigned
          union all select assignment_id from user_assignments where active and user_id = ${reader.id})`
      : sql`row.project_id = ${projectId}`
  return database.query<CalendarAssignment>(sql`
    select row.id, row.project_id as "projectId", row.name, row.description, row.start_date as "startDate",
      row.end_date as "endDate", coalesce(row.updated_at, row.created_at) as "changedAt",
      project.name as "projectName", workflow.name as "stageName"
    from assignments as row join projects as project on project.id = row.project_id
      join workflows as workflow on workflow.id = row.workflow_id
    where row.active and not row.is_unscheduled and ${selection} and ${visibleRows(assignment, reader)}
      and row.end_date > now() - make_interval(days => ${pastDays}::int)
    order by row.end_date desc, row.id limit ${eventsMax}::int`)
}

const eventWith =
  (webOrigin: string | undefined) =>
  ({ id, projectId, name, description, ...row }: CalendarAssignment): CalendarEvent => ({
    id,
    summary: name,
    description,
    firstDay: row.startDate,
    lastDay: row.endDate,
    categories: [row.projectName, row.stageName],
    changedAt: row.changedAt,
    url: webOrigin && `${webOrigin}/projects/${projectId}/assignments/${id}`,
  })

/** Sends 304 if the client already has this calendar: programs poll every hour, and it rarely changes. */
function send(request: FastifyRequest, reply: FastifyReply, caller: Caller, body: string): void {
  const tag = entityTag(caller.id, caller.isAdministrator, body)
  reply.headers({
    etag: tag,
    'cache-control': 'private, no-cache',
    // The URL may contain the token, and a description may contain a link that the user follows.
    'referrer-policy': 'no-referrer',
  })
  const ifNoneMatch = request.headers['if-none-match']
  if (ifNoneMatch !== undefined && matchesTag(ifNoneMatch, tag)) reply.code(304).send()
  else
    reply
      .headers({
        'content-type': 'text/calendar; charset=utf-8',
        'content-disposition': 'attachment; filename="tracker.ics"',
      })
      .send(body)
}

/** An entry of a calendar, in whole days. The last day is included. */
interface CalendarEvent {
  readonly id: string
  readonly summary: string
  readonly description: string | null
  readonly firstDay: string
  readonly lastDay: string
  readonly categories: readonly string[]
  readonly changedAt: string
  readonly url: string | undefined
}

/** Writes RFC 5545. Users wrote the texts, so each text is escaped and each line is folded. */
export function writeCalendar(name: string, events: readonly CalendarEvent[]): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Tracker//Assignments//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    `NAME:${escapeText(name)}`,
    // Older clients know only this name.
    `X-WR-CALNAME:${escapeText(name)}`,
    'REFRESH-INTERVAL;VALUE=DURATION:PT1H',
    'X-PUBLISHED-TTL:PT1H',
    ...events.flatMap(linesOf),
    'END:VCALENDAR',
  ]
  return lines.map((line) => `${fold(line)}\r\n`).join('')
}

function linesOf(event: CalendarEvent): string[] {
  const { id, summary, description, firstDay, lastDay, categories, changedAt, url } = event
  return [
    'BEGIN:VEVENT',
    `UID:${id}`,
    // This is not the time of the response, so that an unchanged calendar has an unchanged ETag.
    `DTSTAMP:${basicTimestamp(changedAt)}`,
    `LAST-MODIFIED:${basicTimestamp(changedAt)}`,
    `DTSTART;VALUE=DATE:${basicDate(firstDay)}`,
    // RFC 5545, 3.6.1: the end is the first day after the event.
    `DTEND;VALUE=DATE:${basicDate(dayAfter(lastDay))}`,
    `SUMMARY:${escapeText(summary)}`,
    ...(description === null ? [] : [`DESCRIPTION:${escapeText(description)}`]),
    `CATEGORIES:${categories.map(escapeText).join()}`,
    ...(url === undefined ? [] : [`URL:${url}`]),
    // An assignment takes only some hours of a day, so it must not mark people as busy.
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ]
}

const basicDate = (day: string): string => day.slice(0, 10).replaceAll('-', '')

const basicTimestamp = (timestamp: string): string =>
  `${new Date(timestamp).toISOString().slice(0, 19).replaceAll(/[-:]/g, '')}Z`

function dayAfter(day: string): string {
  const next = new Date(`${day.slice(0, 10)}T00:00:00Z`)
  next.setUTCDate(next.getUTCDate() + 1)
  return next.toISOString()
}

/** Escapes a text (RFC 5545, 3.3.11). Control characters other than tabs and line breaks are not allowed. */
export const escapeText = (text: string): string =>
  text
    .replaceAll(/\r\n?/g, '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed
    .replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '')
    .replaceAll(/[\\;,]/g, (character) => `\\${character}`)
    .replaceAll('\n', '\\n')

/** The line break does not count. */
const lineBytesMax = 75

/** Continues a long line after a line break and a space (RFC 5545, 3.1). No character is split. */
export function fold(line: string): string {
  if (Buffer.byteLength(line) <= lineBytesMax) return line
  const parts: string[] = []
  let part = ''
  let bytes = 0
  for (const character of line) {
    const length = Buffer.byteLength(character)
    if (bytes + length > lineBytesMax) {
      parts.push(part)
      // The space that begins the next line counts.
      part = ' '
      bytes = 1
    }
    part += character
    bytes += length
  }
  return [...parts, part].join('\r\n')
}
