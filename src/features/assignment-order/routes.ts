import type { Schema } from '../../http/operation.ts'
import { uuid } from '../../model/field-kinds.ts'
import { assignment as declared } from '../../resources/assignment.ts'
import { extensionForm } from '../../resources/derived.ts'
import { readIfMatchVersions, rowAnswer } from '../../routes/if-match.ts'
import type { Route } from '../../routes/route.ts'
import { recordAnswerSchema, ref } from '../../routes/schemas.ts'
import { moveAssignment } from './move-assignment.ts'

const nullableId = (description: string): Schema => ({
  ...uuid.schema,
  type: ['string', 'null'],
  description,
})

export const assignmentOrderSchemas: Readonly<Record<string, Schema>> = {
  AssignmentMove: {
    type: 'object',
    required: ['id'],
    properties: {
      id: { ...uuid.schema, description: 'The assignment to move.' },
      workflowId: {
        ...uuid.schema,
        description: 'The stage to move it to; by default the stage that it is in.',
      },
      beforeId: {
        ...nullableId,
        description: 'The assignment of the stage that comes next; null moves it to the end.',
      },
      afterId: {
        ...nullableId,
        description: 'The assignment of the stage that comes before it; null moves it to the beginning.',
      },
    },
  },
}

/** Orders assignments by hand. Lists are sorted by `rank` to show the order. */
export function assignmentOrderRoute(): Route {
  const assignment = extensionForm(declared)
  return {
    id: 'MoveAssignment',
    tag: assignment.pluralTitle,
    summary: 'Moves an assignment within the manual order of a stage.',
    description:
      'Either `beforeId` or `afterId` is required. The order is that of `rank`; when there is no room left between two assignments, their neighbours get new ranks.',
    method: 'POST',
    path: '/ext/assignment/move',
    body: ref('AssignmentMove'),
    answer: recordAnswerSchema(assignment),
    errors: [400, 403, 404, 409, 412],
    hasPrecondition: true,
    async handle(exchange) {
      const { context, caller, request } = exchange
      const { id } = Object(request.body) as { readonly id?: unknown }
      const versions = await readIfMatchVersions(context, assignment, exchange, id)
      return { body: rowAnswer(assignment, await moveAssignment(context, caller, request.body, versions)) }
    },
  }
}
