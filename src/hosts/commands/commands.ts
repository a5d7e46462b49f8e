import type { FeedStreamRequest } from '../../features/changes/feed-streams.ts'
import { parseFeedQuery, readFeedPage } from '../../features/changes/read-feed.ts'
import { listHistory } from '../../features/history/history.ts'
import type { Caller } from '../../model/caller.ts'
import { invalid } from '../../model/problem.ts'
import type { Context } from '../../records/context.ts'
import { create } from '../../records/create.ts'
import { get } from '../../records/get.ts'
import { list } from '../../records/list.ts'
import { parseListQuery } from '../../records/list-query.ts'
import { serializeRecord } from '../../records/record-json.ts'
import { remove } from '../../records/remove.ts'
import { isAccountResource, requireAccess } from '../../records/rights.ts'
import { update } from '../../records/update.ts'
import type { Edition, Resource } from '../../resources/define-resource.ts'
import { followChangesMessages, readChangesMessages, readHistoryMessages } from './history-messages.ts'
import { type Content, isContent } from './message.ts'
import {
  type ByVerb,
  type CommandMessages,
  commandMessagesOf,
  parseUpdate,
  type Verb,
} from './resource-messages.ts'

interface CommandBase extends CommandMessages {
  /** The edition whose service has this command. */
  readonly edition: Edition
  /** The entity in the full name of a .NET command, such as Project. */
  readonly entity: string
}

export interface UnaryCommand extends CommandBase {
  /** True for a command that writes accounts, and so may set logins and passwords. */
  readonly changesAccounts?: boolean
  readonly successMessage: string
  /** Returns the fields of the result other than `success` and `message`. */
  run(context: Context, caller: Caller, request: Content): Promise<Content>
}

export interface StreamCommand extends CommandBase {
  /** Parses the request into the selection of changes to stream. */
  parseFeed(request: Content): FeedStreamRequest
}

export type Command = UnaryCommand | StreamCommand

export const isStream = (command: Command): command is StreamCommand => 'parseFeed' in command

export const commandsOfResources = (resources: readonly Resource[]): UnaryCommand[] =>
  resources.flatMap((resource) => Object.values(commandsOf(resource)))

/** Returns the commands of a resource. `create` is absent if a separate route creates the rows. */
export function commandsOf(resource: Resource): ByVerb<UnaryCommand> {
  const messages = commandMessagesOf(resource)
  const commandOf = (verb: Verb, messagesOfVerb: CommandMessages): UnaryCommand => ({
    ...messagesOfVerb,
    edition: resource.shownIn,
    entity: resource.typeName,
    changesAccounts: isAccountResource(resource) && verb !== 'get' && verb !== 'list',
    successMessage: `${resource.title} ${pastParticiples[verb]} successfully.`,
    run: (context, caller, request) => runVerb[verb](context, resource, caller, request),
  })
  return {
    ...(messages.create && { create: commandOf('create', messages.create) }),
    get: commandOf('get', messages.get),
    list: commandOf('list', messages.list),
    remove: commandOf('remove', messages.remove),
    update: commandOf('update', messages.update),
  }
}

const pastParticiples: Readonly<Record<Verb, string>> = {
  create: 'created',
  get: 'retrieved',
  list: 'retrieved',
  remove: 'removed',
  update: 'updated',
}

type RunVerb = (context: Context, resource: Resource, caller: Caller, request: Content) => Promise<Content>

/** The implementation of each verb, independent of the resource. */
const runVerb: Readonly<Record<Verb, RunVerb>> = {
  async create(context, resource, caller, request) {
    const row = await create(context, resource, caller, request)
    return { [resource.name]: serializeRecord(resource, row) }
  },
  async get(context, resource, caller, { id }) {
    const { row } = await get(context, resource, caller, { id })
    return { [resource.name]: serializeRecord(resource, row) }
  },
  async list(context, resource, caller, { pagination }) {
    requireAccess(resource, caller, 'read')
    if (!isContent(pagination)) throw invalid({ pagination: ['Pagination is required.'] })
    const query = parseListQuery(resource, pagination)
    const { recordsJson, ...page } = await list(context, resource, caller, query)
    return { result: { ...page, data: JSON.parse(recordsJson) } }
  },
  async remove(context, resource, caller, request) {
    await remove(context, resource, caller, request)
    return {}
  },
  async update(context, resource, caller, request) {
    const row = await update(context, resource, caller, parseUpdate(resource, request))
    return { [resource.name]: serializeRecord(resource, row) }
  },
}

const historyBase = { edition: 'ext', entity: 'History' } as const

const readHistoryCommand: UnaryCommand = {
  ...historyBase,
  ...readHistoryMessages,
  successMessage: 'History retrieved successfully.',
  run: async (context, caller, request) => ({ result: await listHistory(context, caller, request) }),
}

const readChangesCommand: UnaryCommand = {
  ...historyBase,
  ...readChangesMessages,
  successMessage: 'Changes retrieved successfully.',
  run: async (context, caller, request) => ({
    result: await readFeedPage(context, caller, parseFeedQuery(request)),
  }),
}

const followChangesCommand: StreamCommand = {
  ...historyBase,
  ...followChangesMessages,
  parseFeed: (request) => parseFeedQuery(request),
}

/** Commands that return the same as `/ext/history` and `/ext/changes`. */
export const historyCommands: readonly Command[] = [
  readHistoryCommand,
  readChangesCommand,
  followChangesCommand,
]
