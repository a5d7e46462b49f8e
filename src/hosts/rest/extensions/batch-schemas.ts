import type { Schema } from '../../../http/operation.ts'
import { uuid } from '../../../model/field-kinds.ts'
import { batchModes, batchOperations } from '../../../operations/batch/read-batch.ts'
import { batchItemsMax, labelCharactersMax } from '../../../operations/limits.ts'
import { resources } from '../../../resources/all.ts'
import { ref } from '../resource-schemas.ts'

export const batchSchemas: Readonly<Record<string, Schema>> = {
  Batch: {
    type: 'object',
    required: ['items'],
    properties: {
      mode: {
        type: 'string',
        enum: batchModes,
        default: 'allOrNothing',
        description:
          'allOrNothing: one refused item refuses all, and nothing is written. eachForItself: what is refused is left out, and its result says why.',
      },
      items: {
        type: 'array',
        items: ref('BatchItem'),
        minItems: 1,
        maxItems: batchItemsMax,
        description:
          'In any order. Restores are done first, then creates, then updates, parents before children, then removals, children before parents.',
      },
    },
  },
  BatchItem: {
    type: 'object',
    required: ['operation', 'resource', 'body'],
    properties: {
      operation: { type: 'string', enum: batchOperations, description: 'What to do.' },
      resource: {
        type: 'string',
        enum: resources.map(({ name }) => name),
        description: 'With rows of which resource.',
      },
      body: {
        type: 'object',
        additionalProperties: true,
        examples: [{ name: 'Space agency' }],
        description:
          'The body of the single operation. Wherever it has an id, @ and the label of another item stand for the row that this one creates.',
      },
      label: {
        type: 'string',
        minLength: 1,
        maxLength: labelCharactersMax,
        pattern: '^[A-Za-z0-9_.-]+$',
        description: 'Of a create: what the other items call its row.',
      },
      ifMatch: {
        type: 'string',
        description: 'Of an update or a removal: what If-Match is to the single one.',
      },
    },
  },
  BatchResults: {
    type: 'object',
    required: ['results'],
    properties: {
      results: {
        type: 'array',
        items: ref('BatchResult'),
        description: 'One for each item, in the order of the items.',
      },
    },
  },
  BatchResult: {
    type: 'object',
    required: ['statusCode'],
    properties: {
      statusCode: { type: 'integer', description: 'That of the single operation.' },
      id: { ...uuid.schema, description: 'Of the row that was created or changed.' },
      etag: { type: 'string', description: 'Of that row, as reading it by its id gives it.' },
      message: { type: 'string', description: 'Why the item was refused.' },
      errors: {
        type: 'object',
        description: 'The same by property, as the single operation tells it.',
        additionalProperties: { type: 'array', items: { type: 'string' } },
      },
    },
  },
}
