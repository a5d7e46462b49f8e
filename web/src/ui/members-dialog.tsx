import { useState } from 'preact/hooks'
import type { Link } from '#tracker-client'
import type { RecordOf } from '../api/api.ts'
import { sentenceOf } from '../api/problems.ts'
import { useInterval, useLoaded } from '../data/use-loaded.ts'
import { useAllMembers } from '../data/use-members.ts'
import { TextField } from '../forms/fields.tsx'
import { Form, useForm } from '../forms/form.tsx'
import { linkAddress } from '../router/router.ts'
import { useRemoval, useServices } from '../services/services.ts'
import { inOneLine, t, tn } from '../texts/text.ts'
import { dayOf, formatDay, formatTimestamp } from '../time/days.ts'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { Secret } from './copy.tsx'
import { Dialog } from './dialog.tsx'
import { Icon } from './icon.tsx'
import { SearchField } from './page.tsx'
import { LoadProblem, Skeleton } from './page-states.tsx'
import { PersonPicker, PersonRow } from './people.tsx'

interface MembersDialogProps {
  readonly project: Pick<RecordOf<'project'>, 'id' | 'name'>
  onClose(): void
}

/** An invited person may join while the dialog is open, so it is reloaded. */
const pollMilliseconds = 5000

/** Shows the members of the project. Each member may change the list. */
export function MembersDialog({ project, onClose }: MembersDialogProps) {
  const { api, people, session } = useServices()
  const remove = useRemoval()
  const members = useAllMembers(project.id)
  const [search, setSearch] = useState('')
  const shownIds = members.ids.filter((id) => matches(people.nameOf(id), search))
  useInterval(pollMilliseconds, members.reload)
  const [problem, setProblem] = useState<string>()
  const [isLeaving, setLeaving] = useState(false)
  const self = session.person.value
  const add = async (userId: string) => {
    if (members.ids.includes(userId))
      return setProblem(t('{name} is already a member.', { name: people.nameOf(userId) }))
    await api.create('userProject', { projectId: project.id, userId }).then(
      () => setProblem(undefined),
      (error) => setProblem(sentenceOf(error)),
    )
  }
  /** A person may have two memberships, so all of them are removed. */
  const removeAll = (userId: string) => {
    const ids = (members.memberships.get(userId) ?? []).map(({ id }) => id)
    return remove('userProject', ids, people.nameOf(userId))
  }
  const leave = async (userId: string) => {
    if (await removeAll(userId)) onClose()
  }
  const removeOrConfirm = (userId: string) => {
    // Administrators need no warning, because they still see every project.
    if (userId === self?.id && !self.isAdministrator) setLeaving(true)
    else void removeAll(userId)
  }
  return (
    <Dialog title={t('Members of {name}', { name: project.name })} onClose={onClose}>
      {members.problem && <LoadProblem problem={members.problem} onRetry={members.reload} />}
      <PersonPicker
        label={t('Add a member')}
        placeholder={t('Add a member…')}
        chosen={{ ids: members.ids, note: t('Member') }}
        onChoose={(id) => void add(id)}
      />
      {(members.ids.length > unsearchedMax || search !== '') && (
        <SearchField label={t('Search the members')} value={search} onChange={setSearch} />
      )}
      {members.isLoading && <Skeleton as="rows" rows={3} cells="face text icon" />}
      {search !== '' && shownIds.length === 0 && (
        <p class="quiet-text">{t('No member matches “{text}”.', { text: search })}</p>
      )}
      <ul class="rows member-rows">
        {shownIds.map((userId) => (
          <PersonRow
            key={userId}
            id={userId}
            name={people.nameOf(userId)}
            note={noteOf(members.memberships.get(userId)?.[0]?.createdAt, userId === self?.id)}
            removeLabel={t('Remove {name} from the project', { name: people.nameOf(userId) })}
            onRemove={() => removeOrConfirm(userId)}
          />
        ))}
      </ul>
      {members.isCut && (
        <p class="quiet-text">{t('The first {count} members are listed.', { count: members.ids.length })}</p>
      )}
      <InvitationsSection projectId={project.id} onProblem={setProblem} />
      {problem && (
        <p class="field-errors" role="alert">
          {problem}
        </p>
      )}
      {isLeaving && (
        <ConfirmDialog
          title={t('Leave {name}?', { name: project.name })}
          text={t('You will lose access to this project and cannot add yourself again. Another member can.')}
          confirmLabel={t('Leave the project')}
          onConfirm={() => void leave(self?.id ?? '')}
          onClose={() => setLeaving(false)}
        />
      )}
    </Dialog>
  )
}

const noteOf = (since: string | undefined, isSelf: boolean): string =>
  inOneLine(isSelf && t('You'), since && t('Member since {day}', { day: formatDay(dayOf(since)) }))

/** A short list needs no search, unless it has become short during one. */
const unsearchedMax = 8

const matches = (name: string, search: string): boolean =>
  name.toLocaleLowerCase().includes(search.toLocaleLowerCase())

function SearchHint() {
  const { session } = useServices()
  return (
    <p class="quiet-text">
      {session.person.value?.isAdministrator
        ? t(
            'You can find everyone with an account. Invite others by a link, or create accounts under Admin, Users.',
          )
        : t(
            'You can find people you already share a project with. An administrator can add others who have an account; invite new people by a link.',
          )}
    </p>
  )
}

/** Creates invitations into the project, and lists the open ones. */
function InvitationsSection(props: {
  readonly projectId: string
  onProblem(problem: string | undefined): void
}) {
  const { configuration, people, tracker } = useServices()
  const { value, reload } = useLoaded(`invitations ${props.projectId}`, [], () =>
    tracker.call('GET /ext/invitations', { query: { projectId: props.projectId } }),
  )
  useInterval(pollMilliseconds, reload)
  const revoke = (link: Link) =>
    tracker.call('DELETE /ext/invitations', { body: { id: link.id } }).then(
      () => {
        props.onProblem(undefined)
        reload()
      },
      (error) => props.onProblem(sentenceOf(error)),
    )
  return (
    <section class="form invitations" aria-label={t('Invitations')}>
      <h3>{t('Invite by a link')}</h3>
      <SearchHint />
      <InviteByLink projectId={props.projectId} onCreated={reload} />
      {configuration.mail && <InviteByMail projectId={props.projectId} onCreated={reload} />}
      {value !== undefined && value.links.length > 0 && (
        <>
          <h3>{t('Open invitations')}</h3>
          <ul class="rows">
            {value.links.map((link) => (
              <InvitationRow
                key={link.id}
                link={link}
                inviter={people.nameOf(link.madeBy)}
                onRevoke={() => void revoke(link)}
              />
            ))}
          </ul>
        </>
      )}
    </section>
  )
}

const InvitationRow = (props: { readonly link: Link; readonly inviter: string; onRevoke(): void }) => {
  const { recipientName, expiresAt } = props.link
  const until = formatTimestamp(expiresAt)
  const byInviter = t('By {name}', { name: props.inviter })
  return (
    <li class="row">
      <span class="row-text">
        {recipientName === null ? t('Anyone with the link') : <bdi>{recipientName}</bdi>}
        <span class="quiet-text line">
          {inOneLine(byInviter, t('Member'), t('Until {time}', { time: until }))}
        </span>
      </span>
      <button
        type="button"
        class="button quiet icon-only"
        aria-label={
          recipientName === null
            ? t('End the invitation by {name} until {time}', { name: props.inviter, time: until })
            : t('End the invitation for {name}', { name: recipientName })
        }
        onClick={props.onRevoke}
      >
        <Icon name="close" />
      </button>
    </li>
  )
}

function InviteByLink(props: { readonly projectId: string; onCreated(): void }) {
  const { tracker } = useServices()
  const [link, setLink] = useState<string>()
  const form = useForm({
    initial: { recipientName: '' },
    async submit(values) {
      const body = { projectId: props.projectId, ...values }
      setLink(linkAddress('/invitation', await tracker.call('POST /ext/invitations', { body })))
      form.discard()
      props.onCreated()
    },
  })
  return (
    <>
      <div hidden={link !== undefined}>
        <Form form={form} submitLabel={t('Create link')} isSecondary>
          <TextField form={form} name="recipientName" label={t('Name of the person to invite')} />
        </Form>
      </div>
      {link !== undefined && (
        <>
          <p class="form-note">
            {t('Send this link to one person. It works once, within three days, and is only shown once.')}
          </p>
          <Secret label={t('Link')} text={link} onDone={() => setLink(undefined)} />
        </>
      )}
    </>
  )
}

function InviteByMail(props: { readonly projectId: string; onCreated(): void }) {
  const { toasts, tracker } = useServices()
  const form = useForm({
    initial: { mailTo: '' },
    async submit(values) {
      const addresses = values.mailTo.match(/[^\s,;]+/g) ?? ['']
      for (const [index, mailTo] of addresses.entries()) {
        // After an error, the field has the addresses that were not invited.
        form.set('mailTo', addresses.slice(index).join(', '))
        await tracker.call('POST /ext/invitations/mail', { body: { projectId: props.projectId, mailTo } })
        props.onCreated()
      }
      toasts.show({
        kind: 'done',
        text: tn(
          addresses.length,
          'The invitation is on its way to {address}.',
          '{count} invitations are on their way.',
          { address: values.mailTo },
        ),
      })
      form.discard()
    },
  })
  return (
    <Form form={form} submitLabel={t('Send')} isSecondary>
      <TextField
        form={form}
        name="mailTo"
        label={t('Invite by mail')}
        placeholder={t('One or several addresses')}
        inputMode="email"
        required
      />
    </Form>
  )
}
