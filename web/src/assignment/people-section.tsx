import { useState } from 'preact/hooks'
import { sentenceOf } from '../api/api-problem.ts'
import { useListing } from '../data/use-listing.ts'
import { useServices } from '../services/services.ts'
import { PersonLine } from '../ui/person-line.tsx'
import { PersonPicker } from '../ui/person-picker.tsx'
import { useRemoval } from '../ui/use-removal.ts'

/** Who works on it besides the one responsible. */
export function PeopleSection({ assignmentId }: { readonly assignmentId: string }) {
  const { api, people } = useServices()
  const remove = useRemoval()
  const links = useListing('userAssignment', { assignmentId, pageSize: 100 })
  const [problem, setProblem] = useState<string>()
  const add = (userId: string) => {
    if (links.rows.some((link) => link.userId === userId))
      return setProblem(`${people.nameOf(userId)} works on it already.`)
    api.create('userAssignment', { assignmentId, userId }).then(
      () => setProblem(undefined),
      (error) => setProblem(sentenceOf(error)),
    )
  }
  return (
    <section class="panel-section" aria-labelledby="people-title">
      <h3 id="people-title">People</h3>
      <ul class="rows">
        {links.rows.map(({ id, userId }) => (
          <PersonLine
            key={id}
            name={people.nameOf(userId)}
            removeLabel={`Remove ${people.nameOf(userId)} from the assignment`}
            onRemove={() => void remove('userAssignment', id, people.nameOf(userId))}
          />
        ))}
      </ul>
      <PersonPicker label="Add a person" placeholder="Add a person…" onChoose={add} />
      {problem && (
        <p class="field-errors" role="alert">
          {problem}
        </p>
      )}
    </section>
  )
}
