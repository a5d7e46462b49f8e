import { joinTransaction } from '../db/database.ts'
import { sql } from '../db/sql.ts'
import type { Schema } from '../http/openapi.ts'
import type { Caller } from '../model/caller.ts'
import { nearestHours, uuid } from '../model/field-kinds.ts'
import { duplicate, invalid, notFound, parseFields, parseObject } from '../model/problem.ts'
import type { Context } from '../records/context.ts'
import { create } from '../records/create.ts'
import { requireAccess } from '../records/rights.ts'
import { visibleRows } from '../records/visible-rows.ts'
import { assignment } from '../resources/assignment.ts'
import { appointment } from '../resources/assignment-records.ts'
import { acceptPersonalAccessTokens, type Route, recordBody } from '../routes/route.ts'
import { dateTime, ref } from '../routes/schemas.ts'

interface Timer {
  readonly assignmentId: string
  readonly startedAt: string
  /** Null if the account no longer sees the assignment. */
  readonly assignment: { readonly name: string; readonly projectId: string } | null
}

/** A timer that runs longer was probably forgotten, so its owner has to say how many hours to book. */
const forgottenHours = 10

async function findTimer({ database }: Context, caller: Caller): Promise<Timer | null> {
  requireAccess(appointment, caller, 'read')
  const [timer] = await database.query<Omit<Timer, 'assignment'>>(sql`
    select assignment_id as "assignmentId", started_at as "startedAt" from timers where user_id = ${caller.id}`)
  if (!timer) return null
  return { ...timer, assignment: (await findAssignment(database, caller, timer.assignmentId)) ?? null }
}

async function findAssignment({ query }: Pick<Context['database'], 'query'>, caller: Caller, id: string) {
  const [row] = await query<NonNullable<Timer['assignment']>>(sql`
    select row.name, row.project_id as "projectId" from assignments as row
    where row.id = ${id} and row.active and ${visibleRows(assignment, caller)}`)
  return row
}

/** The primary key allows one timer per account, so only one of two devices can start a timer. */
async function startTimer(context: Context, caller: Caller, body: unknown): Promise<Timer> {
  requireAccess(appointment, caller, 'write')
  const { database } = context
  const { assignmentId } = parseFields(body, { assignmentId: uuid })
  const found = await findAssignment(database, caller, assignmentId)
  if (!found) throw invalid({ assignmentId: ['AssignmentId must refer to an active assignment.'] })
  const [started] = await database.singleWrites.query<Pick<Timer, 'startedAt'>>(sql`
    insert into timers (user_id, assignment_id) values (${caller.id}, ${assignmentId})
    on conflict (user_id) do nothing returning started_at as "startedAt"`)
  if (!started) throw duplicate('assignmentId', 'A timer is already running. Stop it first.')
  return { assignmentId, startedAt: started.startedAt, assignment: found }
}

/**
 * Locks the row: if two devices stop the timer, the second waits and finds none, so the time is booked once.
 */
function stopTimer(context: Context, caller: Caller, body: unknown) {
  requireAccess(appointment, caller, 'write')
  const { database, hoursStep } = context
  const { amountHours, keepDate, description } = parseObject(body)
  return database.transaction(async (transaction) => {
    const [timer] = await transaction.query<{ assignmentId: string; startedAt: string; hours: number }>(sql`
      select assignment_id as "assignmentId", started_at as "startedAt",
        (extract(epoch from now() - started_at) / 3600)::float8 as hours
      from timers where user_id = ${caller.id} for update`)
    if (!timer) throw notFound('Timer')
    await transaction.query(sql`delete from timers where user_id = ${caller.id}`)
    const { assignmentId, startedAt, hours } = timer
    if (amountHours === undefined && hours > forgottenHours)
      throw invalid({
        amountHours: [`The timer ran for ${Math.floor(hours)} hours. AmountHours must say how many to book.`],
      })
    return create({ ...context, database: joinTransaction(database, transaction) }, appointment, caller, {
      assignmentId,
      userId: caller.id,
      keepDate: keepDate ?? startedAt,
      amountHours: amountHours ?? nearestHours(hours, hoursStep),
      description,
    })
  })
}

async function discardTimer({ database }: Context, caller: Caller): Promise<void> {
  requireAccess(appointment, caller, 'write')
  const [discarded] = await database.singleWrites.query(
    sql`delete from timers where user_id = ${caller.id} returning user_id`,
  )
  if (!discarded) throw notFound('Timer')
}

const { amountHours, keepDate, description } = appointment.fields

export const timerSchemas: Readonly<Record<string, Schema>> = {
  Timer: {
    type: 'object',
    required: ['assignmentId', 'startedAt', 'assignment'],
    properties: {
      assignmentId: { ...uuid.schema, description: 'The assignment that it runs for.' },
      startedAt: { ...dateTime, description: 'The time at which it was started.' },
      assignment: {
        type: ['object', 'null'],
        required: ['name', 'projectId'],
        properties: {
          name: { type: 'string', description: 'The name of the assignment.' },
          projectId: { ...uuid.schema, description: 'The project of the assignment.' },
        },
        description: 'The assignment; null if the caller no longer sees it.',
      },
    },
  },
  TimerAnswer: {
    type: 'object',
    required: ['timer'],
    properties: {
      timer: {
        anyOf: [ref('Timer'), { type: 'null' }],
        description: 'The running timer; null if there is none.',
      },
    },
  },
  TimerStart: {
    type: 'object',
    required: ['assignmentId'],
    properties: { assignmentId: { ...uuid.schema, description: 'The assignment to work on.' } },
  },
  TimerStop: {
    type: 'object',
    properties: {
      amountHours: {
        ...amountHours.schema,
        description: `The hours to book; by default those that the timer ran. Required if the timer ran for more than ${forgottenHours} hours, because it was probably forgotten.`,
      },
      keepDate: {
        ...keepDate.schema,
        description: 'The date of the work; by default the start of the timer.',
      },
      description: { ...description.schema, type: ['string', 'null'], description: 'The work done.' },
    },
  },
  TimerStopped: {
    type: 'object',
    required: ['appointment'],
    properties: { appointment: ref('Appointment') },
  },
}

const tag = 'Timer'
const path = '/ext/timer'

/** Routes for the timer of the account. All devices have the same timer. */
export const timerRoutes: readonly Route[] = acceptPersonalAccessTokens([
  {
    id: 'GetTimer',
    tag,
    summary: 'Shows the running timer of the caller’s account.',
    description: 'It is the same on every device.',
    method: 'GET',
    path,
    response: ref('TimerAnswer'),
    errors: [400, 403],
    async handle({ context, caller }) {
      return { body: { timer: await findTimer(context, caller) } }
    },
  },
  {
    id: 'StartTimer',
    tag,
    summary: 'Starts a timer for work on an assignment.',
    description: 'An account has one timer: while it is running, the response is 409.',
    method: 'POST',
    path,
    body: ref('TimerStart'),
    response: ref('TimerAnswer'),
    errors: [400, 403, 409],
    async handle({ context, caller, request }) {
      return { body: { timer: await startTimer(context, caller, request.body) } }
    },
  },
  {
    id: 'StopTimer',
    tag,
    summary: 'Stops the timer and creates an appointment with its hours.',
    description: 'Both happen or neither: if the appointment is rejected, the timer keeps running.',
    method: 'POST',
    path: `${path}/stop`,
    body: ref('TimerStop'),
    response: ref('TimerStopped'),
    errors: [400, 403, 404],
    async handle({ context, caller, request }) {
      return { body: recordBody(appointment, await stopTimer(context, caller, request.body)) }
    },
  },
  {
    id: 'DiscardTimer',
    tag,
    summary: 'Ends the timer without an appointment.',
    description: 'Its time is not booked.',
    method: 'DELETE',
    path,
    response: ref('Success'),
    errors: [400, 403, 404],
    async handle({ context, caller }) {
      await discardTimer(context, caller)
      return { body: { success: true } }
    },
  },
])
