import { membersOfAssignment, membersOfProject } from '../model/access-rule.ts'
import { optional, references, required } from '../model/field.ts'
import { color, text, uuid } from '../model/field-kinds.ts'
import { duplicate } from '../model/problem.ts'
import { labelDescriptionCharactersMax, labelNameCharactersMax } from '../model/text.ts'
import { defineResource } from './define-resource.ts'

const labelsOfProjectMax = 200
const labelsOfAssignmentMax = 20

export const label = defineResource({
  name: 'label',
  edition: 'ext',
  table: 'labels',
  about: 'A word that the members of a project put on its assignments, with a color.',
  fields: {
    name: required(2, text({ max: labelNameCharactersMax }), {
      about: 'The name, unique among active labels of the project regardless of case.',
      example: 'Needs design',
    }),
    color: required(3, color, { about: 'The color, by name.', example: 'teal' }),
    description: optional(4, text({ max: labelDescriptionCharactersMax }), {
      about: 'The purpose.',
      example: 'Nobody begins before there is a sketch.',
    }),
    projectId: references(5, uuid, 'project', 'cascade'),
  },
  access: membersOfProject,
  filters: ['projectId'],
  unique: {
    index: 'labels_name_active',
    problem: () => duplicate('name', 'Name is already used by an active label of the project.'),
  },
  projectRules: {
    rowsMax: {
      per: 'projectId',
      max: labelsOfProjectMax,
      message: `A project may have at most ${labelsOfProjectMax} labels.`,
    },
  },
})

/** Links a label to an assignment of the same project. The link is removed when either of them is removed. */
export const assignmentLabel = defineResource({
  name: 'assignmentLabel',
  edition: 'ext',
  table: 'assignment_labels',
  about: 'A label of the project on an assignment.',
  fields: {
    assignmentId: references(2, uuid, 'assignment', 'cascade'),
    labelId: references(3, uuid, 'label', 'cascade'),
  },
  access: membersOfAssignment,
  // `projectId` filters by the project of the assignment.
  filters: ['assignmentId', 'labelId', 'projectId'],
  unique: {
    index: 'assignment_labels_active',
    problem: () => duplicate('labelId', 'The assignment already has this label.'),
  },
  projectRules: {
    sameProject: ['assignmentId', 'labelId'],
    rowsMax: {
      per: 'assignmentId',
      max: labelsOfAssignmentMax,
      message: `An assignment may have at most ${labelsOfAssignmentMax} labels.`,
    },
  },
})
