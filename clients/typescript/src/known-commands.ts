import {
  followChangesMessages,
  readChangesMessages,
  readHistoryMessages,
} from '../../../src/hosts/commands/history-messages.ts'
import { type Message, serviceNameOf } from '../../../src/hosts/commands/message.ts'
import { type CommandMessages, commandMessagesOf } from '../../../src/hosts/commands/resource-messages.ts'
import type { Edition } from '../../../src/resources/define-resource.ts'
import { allForms } from '../../../src/resources/derived.ts'

/** The data about a command that a client needs. */
export interface KnownCommand {
  /** The name of the client's method, in camelCase. */
  readonly name: string
  readonly path: string
  readonly request: Message
  readonly result: Message
  /** Set if the response is a stream without end. */
  readonly isStream?: true
}

/**
 * Plain data, with which the build replaces this module, so that the package does not contain the resources'
 * declarations.
 */
export const knownCommands: readonly KnownCommand[] = [
  ...allForms().flatMap((form) =>
    Object.values(commandMessagesOf(form)).map((messages) => knownOf(form.shownIn, messages)),
  ),
  ...[readHistoryMessages, readChangesMessages].map((messages) => knownOf('ext', messages)),
  { ...knownOf('ext', followChangesMessages), isStream: true },
]

function knownOf(edition: Edition, { name, request, result }: CommandMessages): KnownCommand {
  return {
    name: name.charAt(0).toLowerCase() + name.slice(1),
    path: `/${serviceNameOf(edition)}/${name}`,
    request,
    result,
  }
}
