import { resources, resourcesOf } from '../../resources/all.ts'
import type { Edition, Resource } from '../../resources/define-resource.ts'
import { type Command, commandsOfResources } from './commands.ts'
import { historyCommands } from './history-commands.ts'

/** Every command of an edition, in the order of its .proto file. */
export const commands = (edition: Edition, declared: readonly Resource[] = resources): Command[] => [
  ...commandsOfResources(resourcesOf(edition, declared)),
  ...(edition === 'ext' ? historyCommands : []),
]
