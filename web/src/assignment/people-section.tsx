import { useState } from 'preact/hooks'
import type { RecordOf } from '../api/api.ts'
import { sentenceOf } from '../api/api-problem.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { PersonLine } from '../ui/person-line.tsx'
import { PersonPicker } from '../ui/person-picker.tsx'
import { useRemoval } from '../ui/use-removal.ts'
import type { PanelSections } from './use-panel-sections.ts'

/** Who works on it besides the one responsible. */
export function PeopleSection({
  assignment,
  helpers,
}: Pick<PanelSections, 'helpers'> & { readonly assignment: RecordOf<'assignment'> }) {
  const assignmentId = assignment.id
  const { api, people } = useServices()
  const remove = useRemoval()
  const [problem, setProblem] = useState<string>()
  const add = (userId: string) => {
    if (helpers.rows.some((helper) => helper.userId === userId))
      return setProblem(t('{name} works on it already.', { name: people.nameOf(userId) }))
    api.create('userAssignment', { assignmentId, userId }).then(
      () => setProblem(undefined),
      (error) => setProblem(sentenceOf(error)),
    )
  }
  return (
    <section class="panel-section" aria-labelledby="people-title">
      <h3 id="people-title">{t('Also working on it')}</h3>
      <ul class="rows">
        {helpers.rows.map(({ id, userId }) => (
          <PersonLine
            key={id}
            id={userId}
            name={people.nameOf(userId)}
            removeLabel={t('Remove {name} from the assignment', { name: people.nameOf(userId) })}
            onRemove={() => void remove('userAssignment', id, people.nameOf(userId))}
          />
        ))}
      </ul>
      <PersonPicker
        label={t('Add a person')}
        placeholder={t('Add a person…')}
        projectId={assignment.projectId}
        onChoose={add}
      />
      {problem && (
        <p class="field-errors" role="alert">
          {problem}
        </p>
      )}
    </section>
  )
}
