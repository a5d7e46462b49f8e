import { type Field, isRequired } from '../../src/model/field.ts'
import {
  type Resource as Declared,
  dateKeys,
  idFiltersOf,
  supportsDates,
} from '../../src/resources/define-resource.ts'
import { referencesFrom, resourcesOf, searchColumns } from '../../src/resources/derived.ts'
import type { Entity, Resource } from './contract-table.ts'

const samples: Readonly<Record<Field['wire'], unknown>> = {
  text: 'Something to say',
  uuid: undefined,
  timestamp: '2026-03-02T09:00:00Z',
  number: undefined,
  integer: undefined,
  boolean: true,
}

const isNumber = ({ wire }: Field) => wire === 'number' || wire === 'integer'

const rangeOf = ({ schema: { minimum = 1, maximum = 100_000 } }: Field) => ({
  least: Number(minimum),
  most: Number(maximum),
})

function sampleOf(field: Field): unknown {
  if (Array.isArray(field.schema.enum)) return field.schema.enum[0]
  const { least, most } = rangeOf(field)
  return isNumber(field) ? Math.min(most, Math.max(least, 3)) : samples[field.wire]
}

/**
 * Extensions, derived from their declarations. The authorization matrix has their access rules, written by
 * hand.
 */
export const declaredTable = Object.fromEntries(
  resourcesOf('ext').map((resource) => [resource.name, lineOf(resource)]),
) as Readonly<Record<Entity, Resource>>

function lineOf(resource: Declared): Resource {
  const { plural, columns, fields } = resource
  const references = referencesFrom(resource)
  const own = Object.entries(fields).filter(([name]) => columns.includes(name))
  const required = Object.entries(fields).filter(
    ([, field]) => isRequired(field, 'create') && !field.references,
  )
  return {
    root: '/ext',
    list: plural,
    own: own.map(([name]) => name),
    required: required.map(([name]) => name),
    references: Object.fromEntries(references.map(({ column, parent }) => [column, parent.name as Entity])),
    staying: references.filter(({ onRemove }) => onRemove === 'keep').map(({ column }) => column),
    byServer: Object.keys(fields).filter((name) => fields[name]?.presence === 'byServer'),
    byCaller: Object.keys(fields).filter((name) => fields[name]?.isCallerDefault),
    searched: searchColumns(resource),
    filters: [...idFiltersOf(resource), ...(supportsDates(resource) ? dateKeys : [])],
    lengths: Object.fromEntries(
      own.flatMap(([name, { schema }]) => (schema.maxLength ? [[name, Number(schema.maxLength)]] : [])),
    ),
    ranges: Object.fromEntries(
      own.flatMap(([name, field]) => (isNumber(field) ? [[name, rangeOf(field)] as const] : [])),
    ),
    sample: Object.fromEntries(
      own.flatMap(([name, field]) =>
        field.presence === 'optional' || field.references ? [] : [[name, sampleOf(field)]],
      ),
    ),
  }
}
