import { feedActions } from '../../features/changes/read-feed.ts'
import { pageSizeDefault, pageSizeMax } from '../../records/list-query.ts'
import { resourceNames } from '../../resources/all.ts'
import type { Message, MessageField } from './message.ts'
import { type CommandMessages, outcomeFields } from './resource-messages.ts'

type Shape = MessageField['shape']

const field = (number: number, name: string, shape: Shape, about: string): MessageField => ({
  name,
  number,
  shape,
  about,
})

const optional = (number: number, name: string, shape: Shape, about: string): MessageField => ({
  ...field(number, name, shape, about),
  isOptional: true,
})

const namesText = resourceNames.join(', ')

const change: Message = {
  name: 'Change',
  about: 'One change of a row.',
  fields: [
    field(
      1,
      'id',
      'text',
      'The id of the change. It is the same in the history, the feed and webhook deliveries.',
    ),
    field(2, 'at', 'timestamp', 'The time of the change.'),
    field(3, 'resource', 'text', `The resource of the row: ${namesText}.`),
    field(4, 'rowId', 'uuid', 'The id of the row.'),
    field(5, 'action', 'text', `The action: ${feedActions.join(', ')}.`),
    optional(
      6,
      'projectId',
      'uuid',
      'The project of the row after the change; absent for catalogs and accounts.',
    ),
    optional(7, 'callerId', 'uuid', 'The account that made the change; absent for the program itself.'),
    optional(8, 'clientId', 'text', 'The client to which the token of the request was issued.'),
    optional(9, 'host', 'text', 'rest or commands; absent for the program itself.'),
    optional(
      10,
      'sessionId',
      'text',
      'Only shown to administrators and to the account that made the change.',
    ),
    optional(
      11,
      'requestId',
      'text',
      'Only shown to administrators and to the account that made the change.',
    ),
    optional(
      12,
      'before',
      'values',
      'The previous values of the changed fields, with the names and values of REST; absent for a new row.',
    ),
    optional(
      13,
      'after',
      'values',
      'The new values of the changed fields; for a new row, all fields with a value.',
    ),
  ],
}

const changes: MessageField = { ...field(1, 'data', change, ''), isRepeated: true }

const historyPage: Message = {
  name: 'HistoryPage',
  about: 'One page of a history.',
  fields: [
    { ...changes, about: 'Sorted from newest to oldest.' },
    optional(2, 'next', 'text', 'Pass it as `before` to get the next page. Absent on the last page.'),
  ],
}

const changePage: Message = {
  name: 'ChangePage',
  about: 'One page of the feed.',
  fields: [
    { ...changes, about: 'In the order in which they became visible.' },
    field(2, 'cursor', 'text', 'Pass it as `after` to get the next page. Set even if this page is empty.'),
    field(3, 'hasMore', 'boolean', 'Whether more changes can be read immediately.'),
  ],
}

const afterComment =
  'The `cursor` of the previous page, or `now` to get only future changes. If absent, starts at the oldest change that is kept.'

const filters: readonly MessageField[] = [
  optional(2, 'resource', 'text', `Only changes of these resources, separated by commas: ${namesText}.`),
  optional(
    3,
    'action',
    'text',
    `Only changes with these actions, separated by commas: ${feedActions.join(', ')}.`,
  ),
  optional(4, 'projectId', 'text', 'Only changes in this project.'),
]

const pageSizeOf = (defaultSize: number): MessageField =>
  optional(5, 'pageSize', 'integer', `Changes on a page, 1 to ${pageSizeMax}; ${defaultSize} by default.`)

const resultOf = (name: string, page: Message): Message => ({
  name: `${name}Result`,
  about: `The answer to ${name}Command.`,
  fields: [...outcomeFields, optional(3, 'result', page, 'The page; absent when success is false.')],
})

export const readHistoryMessages: CommandMessages = {
  name: 'ReadHistory',
  request: {
    name: 'ReadHistoryCommand',
    about:
      'Lists the changes of a row, or of all rows in a project, newest first. Callers who can see the row now can see its history.',
    fields: [
      optional(1, 'resource', 'text', `The resource: ${namesText}. Required unless project_id is set.`),
      optional(2, 'id', 'text', 'The id of the row. Required unless project_id is set.'),
      optional(
        3,
        'projectId',
        'text',
        'Selects the changes of all rows in this project, instead of those of one row.',
      ),
      optional(4, 'before', 'text', 'Only changes before the one with this id.'),
      pageSizeOf(pageSizeDefault),
    ],
  },
  result: resultOf('ReadHistory', historyPage),
}

export const readChangesMessages: CommandMessages = {
  name: 'ReadChanges',
  request: {
    name: 'ReadChangesCommand',
    about:
      'Lists every committed change that the caller may see, without gaps or duplicates, page by page. A cursor that is too old results in OUT_OF_RANGE.',
    fields: [optional(1, 'after', 'text', afterComment), ...filters, pageSizeOf(pageSizeMax)],
  },
  result: resultOf('ReadChanges', changePage),
}

export const followChangesMessages: CommandMessages = {
  name: 'FollowChanges',
  request: {
    name: 'FollowChangesCommand',
    about:
      'Streams the same changes without end: existing ones first, then each change as it is committed. When the stream ends, call again with the last cursor.',
    fields: [optional(1, 'after', 'text', afterComment), ...filters],
  },
  result: {
    name: 'ChangeEvent',
    about: 'One change, or a heartbeat, which is sent after 15 seconds of silence.',
    fields: [
      optional(1, 'change', change, 'Absent in a heartbeat.'),
      field(2, 'cursor', 'text', 'The position after this event. Pass it as `after` to continue from here.'),
    ],
  },
}
