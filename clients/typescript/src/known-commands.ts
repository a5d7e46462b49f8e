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
 * The build replaces this module with the data that it computes, so that the package does not contain the
 * declarations of the resources.
 */
export const knownCommands: readonly KnownCommand[] = [
  ...allForms().flatMap((form) =>
    Object.values(commandMessagesOf(form)).map((messages) => knownCommandOf(form.shownIn, messages)),
  ),
  ...[readHistoryMessages, readChangesMessages].map((messages) => knownCommandOf('ext', messages)),
  { ...knownCommandOf('ext', followChangesMessages), isStream: true },
]

function knownCommandOf(edition: Edition, { name, request, result }: CommandMessages): KnownCommand {
  return {
    name: name.charAt(0).toLowerCase() + name.slice(1),
    path: `/${serviceNameOf(edition)}/${name}`,
    request,
    result,
  }
}
