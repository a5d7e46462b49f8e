import { references, required, updateOnly } from '../model/field.ts'
import { moment, text, uuid } from '../model/field-kinds.ts'
import { nameCharactersMax } from '../model/text-limits.ts'
import { defineResource } from './define-resource.ts'
import { creatorsMembership, sameVersion } from './project-rules.ts'

export const project = defineResource({
  name: 'project',
  edition: 'v1',
  table: 'projects',
  about: 'What members work on, for one organization: only its members see what belongs to it.',
  fields: {
    name: required(2, text({ max: nameCharactersMax }), {
      about: 'What people call it.',
      example: 'Moon landing',
    }),
    organizationId: references(3, uuid, 'organization', 'blockRemoval', { about: 'Whom it is for.' }),
    expectedVersion: updateOnly(15, moment, {
      about: 'updatedAt as it was read, or createdAt when that is null: another version is refused with 409.',
    }),
  },
  access: { kind: 'projectMembers', projectPath: ['id'], anyoneMayCreate: true },
  filters: ['organizationId'],
  rules: { alsoCreate: creatorsMembership, updateConditions: sameVersion },
})
