import { membersOfProject } from '../model/access-rule.ts'
import { optional, references, required } from '../model/field.ts'
import { color, integer, uuid } from '../model/field-kinds.ts'
import { duplicate } from '../model/problem.ts'
import { defineResource } from './define-resource.ts'

/** Clients read the stages of a project in one page. */
const stagesOfProjectMax = 100

/**
 * A stage that a project uses. A project without such rows uses all stages. No write of an assignment depends
 * on them, because v1 promises that any stage is accepted: clients show an assignment in a stage that its
 * project does not use.
 */
export const projectStage = defineResource({
  name: 'projectStage',
  edition: 'ext',
  table: 'project_stages',
  about:
    'A stage that a project uses, with its place and color there. A project without any uses all stages.',
  fields: {
    projectId: references(2, uuid, 'project', 'cascade'),
    workflowId: references(3, uuid, 'workflow', 'cascade', { about: 'The stage.' }),
    order: required(4, integer({ min: 0, max: 2_147_483_647 }), {
      about: 'The position among the stages of the project, in ascending order.',
      example: 2,
    }),
    color: optional(5, color, {
      about: 'The color in this project. If null, the color of the stage applies.',
      example: 'green',
    }),
  },
  access: membersOfProject,
  filters: ['projectId', 'workflowId'],
  unique: {
    index: 'project_stages_active',
    problem: () => duplicate('workflowId', 'The project already uses this stage.'),
  },
  projectRules: {
    rowsMax: {
      per: 'projectId',
      max: stagesOfProjectMax,
      message: `A project may use at most ${stagesOfProjectMax} stages.`,
    },
  },
})
