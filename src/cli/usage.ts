import { parseArgs } from 'node:util'

/** A mistake in the command line itself. The program exits with 2. */
export class UsageError extends Error {}

/** The options on the command line by name. An option with a value has its text, and a flag is true. */
export type Options = Readonly<Record<string, string | boolean | undefined>>

/** The command line of one command. The parser, the help and docs/commands.md use this declaration. */
export interface Usage {
  /** The beginning of the command line, if it is not `npm run cli --` and the name. */
  readonly script?: string
  readonly argument?: {
    readonly name: string
    readonly isOptional?: true
    readonly isRepeated?: true
  }
  readonly options?: Readonly<Record<string, OptionUsage>>
  readonly about: string
  /** Sentences that only the help of this command shows. */
  readonly more?: string
}

interface OptionUsage {
  /** The name of the value in the help. An option without it is a flag. */
  readonly value?: string
  readonly about: string
}

export interface ParsedUsage {
  readonly args: readonly string[]
  readonly options: Options
}

/** Throws a `UsageError` for an unknown option, and for a missing or superfluous argument. */
export function parseUsage({ argument, options = {} }: Usage, argv: readonly string[]): ParsedUsage {
  const types = Object.entries(options).map(([name, { value }]) => {
    const type: 'string' | 'boolean' = value === undefined ? 'boolean' : 'string'
    return [name, { type }] as const
  })
  const { values, positionals } = parse(argv, Object.fromEntries(types))
  if (argument && !argument.isOptional && positionals.length === 0)
    throw new UsageError(`${argument.name} is missing.`)
  if (!argument?.isRepeated && positionals.length > (argument ? 1 : 0))
    throw new UsageError('There are too many arguments.')
  return { args: positionals, options: values }
}

function parse(
  argv: readonly string[],
  options: Readonly<Record<string, { type: 'string' | 'boolean' }>>,
): { readonly values: Options; readonly positionals: readonly string[] } {
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true })
    return { values: values as Options, positionals }
  } catch (error) {
    // The first sentence of Node's message names the mistake. The rest is about arguments that begin with a
    // dash.
    const [mistake] = (error as Error).message.split(/\. |\.?\n/, 1)
    throw new UsageError(`${mistake}.`)
  }
}

/** Returns the command line as it is typed: `npm run cli -- account create LOGIN [--link]`. */
export function synopsis(name: string, { script, argument, options = {} }: Usage): string {
  const parts = [script ?? `npm run cli -- ${name}`]
  if (argument) {
    const argumentText = `${argument.name}${argument.isRepeated ? ' …' : ''}`
    parts.push(argument.isOptional ? `[${argumentText}]` : argumentText)
  }
  for (const [option, { value }] of Object.entries(options)) parts.push(`[${optionText(option, value)}]`)
  return parts.join(' ')
}

const optionText = (name: string, value: string | undefined): string =>
  value === undefined ? `--${name}` : `--${name} ${value}`

const optionWidth = 18

export function helpOf(name: string, usage: Usage): string {
  const options = Object.entries(usage.options ?? {}).map(
    ([option, { value, about }]) => `  ${optionText(option, value).padEnd(optionWidth)}${about}`,
  )
  return [
    synopsis(name, usage),
    '',
    `${usage.about[0]?.toUpperCase()}${usage.about.slice(1)}.`,
    ...(options.length > 0 ? ['', ...options] : []),
    ...(usage.more === undefined ? [] : ['', usage.more]),
  ].join('\n')
}

/** Returns the list of all commands, or of the group that the first word names, such as `account`. */
export function helpOfAll(usages: Readonly<Record<string, Usage>>, firstWord: string | undefined): string {
  const entries = Object.entries(usages)
  const group = entries.filter(([name]) => name.startsWith(`${firstWord} `))
  const lines = (group.length > 0 ? group : entries).map(
    ([name, usage]) => [synopsis(name, usage), usage.about] as const,
  )
  const width = Math.max(...lines.map(([text]) => text.length))
  return [
    'Usage:',
    ...lines.map(([text, about]) => `  ${text.padEnd(width)}  ${about}`),
    '',
    'Add --help to a command for its options. Exit codes: 0 success, 1 failure, 2 usage error.',
  ].join('\n')
}
