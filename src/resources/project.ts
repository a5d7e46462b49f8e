import { references, required, updateOnly } from '../model/field.ts'
import { moment, text, uuid } from '../model/field-kinds.ts'
import { nameCharactersMax } from '../model/text-limits.ts'
import { defineResource } from './define-resource.ts'
import { creatorsMembership, sameVersion } from './project-rules.ts'

export const project = defineResource({
  name: 'project',
  edition: 'v1',
  table: 'projects',
  fields: {
    name: required(2, text({ max: nameCharactersMax })),
    organizationId: references(3, uuid, 'organization', 'blockRemoval'),
    expectedVersion: updateOnly(15, moment),
  },
  access: { kind: 'projectMembers', projectPath: ['id'], anyoneMayCreate: true },
  filters: ['organizationId'],
  rules: { alsoCreate: creatorsMembership, updateConditions: sameVersion },
})
