import type { Edition } from '../../../resources/define-resource.ts'

interface Package {
  /** The name includes the version: a breaking contract would be served under another name in addition. */
  readonly name: string
  /** The name of its description, for generating clients. */
  readonly file: string
  /** Generators for Go require it; their flags can set another module. */
  readonly go: string
  readonly java: string
}

/** Everything beyond v1 has a package of its own, so that v1 does not change. */
export const packages: Readonly<Record<Edition, Package>> = {
  v1: {
    name: 'tracker.commands.v1',
    file: 'tracker/commands/v1/commands.proto',
    go: 'tracker/commands/v1;commandsv1',
    java: 'tracker.commands.v1',
  },
  ext: {
    name: 'tracker.ext.v1',
    file: 'tracker/ext/v1/commands.proto',
    go: 'tracker/ext/v1;extv1',
    java: 'tracker.ext.v1',
  },
}

export const serviceNameOf = (edition: Edition): string => `${packages[edition].name}.Commands`
