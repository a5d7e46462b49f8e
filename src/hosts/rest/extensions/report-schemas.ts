import type { Parameter, Schema } from '../../../http/operation.ts'
import { labelOf } from '../../../model/field.ts'
import { uuid } from '../../../model/field-kinds.ts'
import { groupingsMax, groupsMax } from '../../../operations/limits.ts'
import {
  entityFilters,
  groupings,
  isTime,
  type Report,
  reports,
} from '../../../operations/reports/reports.ts'
import { ref, resultSchema } from '../resource-schemas.ts'

export const reportParameters = ({ summed, dated }: Report): Parameter[] => [
  {
    name: 'groupBy',
    description: `1 to ${groupingsMax} of ${groupings.join(', ')}, separated by commas; the groups come in their order.`,
    required: true,
    schema: { type: 'string' },
  },
  ...['dateFrom', 'dateTo'].map((name) => ({
    name,
    description: `Only ${summed.pluralNoun} whose ${dated} is ${name === 'dateFrom' ? 'on this day or later' : 'before this day'}, in the time zone.`,
    schema: { type: 'string', format: 'date' },
  })),
  {
    name: 'timeZone',
    description:
      'Where days, weeks and months begin: UTC, or a name of the IANA database such as Europe/Berlin.',
    schema: { type: 'string', default: 'UTC' },
  },
  ...Object.keys(entityFilters).map((name) => ({
    name,
    description: `Only with this ${labelOf(name)}.`,
    schema: uuid.schema,
  })),
  {
    name: 'limit',
    description: 'Groups that are shown; the total is over all of them.',
    schema: { type: 'integer', minimum: 1, maximum: groupsMax, default: groupsMax },
  },
]

const named: Schema = {
  type: 'object',
  required: ['id', 'name'],
  properties: {
    id: { ...uuid.schema, description: 'Its id.' },
    name: { type: ['string', 'null'], description: 'Null where the caller may not see it.' },
  },
}

const times: Readonly<Record<string, Schema>> = {
  week: { type: 'string', format: 'date', description: 'The Monday that it begins with.' },
  month: { type: 'string', description: 'Its year and number, such as 2026-01.' },
}

export const reportSchemas: Readonly<Record<string, Schema>> = {
  ReportGroup: named,
  ...Object.fromEntries(reports.map((report) => [`${labelOf(report.name)}Report`, reportSchema(report)])),
}

function reportSchema({ measures }: Report): Schema {
  const names = measures.map(({ name }) => name)
  const sums = Object.fromEntries(
    measures.map(({ name, column, description }) => [
      name,
      { type: column ? 'number' : 'integer', description },
    ]),
  )
  const groups = Object.fromEntries(
    groupings.map((name) => [name, isTime(name) ? times[name] : ref('ReportGroup')]),
  )
  return resultSchema('The sums.', {
    groups: {
      type: 'array',
      description: 'One for each combination that there are rows of.',
      maxItems: groupsMax,
      items: { type: 'object', required: names, properties: { ...groups, ...sums } },
    },
    totalGroups: { type: 'integer', description: 'How many there are, also beyond the limit.' },
    total: { type: 'object', description: 'Over all groups.', required: names, properties: sums },
    timeZone: {
      type: 'string',
      description: 'The one that was asked for.',
      examples: ['Europe/Berlin'],
    },
  })
}
