import { useState } from 'preact/hooks'
import { sentenceOf } from '../api/api-problem.ts'
import { endInvitation, inviteByMail, inviteInto, openInvitations } from '../api/links.ts'
import type { Link } from '../api/types.ts'
import { useEvery } from '../data/use-every.ts'
import { useLoaded } from '../data/use-loaded.ts'
import { TextField } from '../forms/fields.tsx'
import { Form } from '../forms/form.tsx'
import { useForm } from '../forms/use-form.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import { showMoment } from '../time/moments.ts'
import { Icon } from './icon.tsx'
import { Secret } from './secret.tsx'

/** One that was used is no longer open. */
const lookMilliseconds = 5000

/** Links into the project that nobody has used, no matter who made them, and how to make one. */
export function InvitationsSection(props: {
  readonly projectId: string
  onProblem(problem: string | undefined): void
}) {
  const { configuration, people, send } = useServices()
  const { value: open, reload } = useLoaded(`invitations ${props.projectId}`, [], () =>
    openInvitations(send, props.projectId),
  )
  useEvery(lookMilliseconds, reload)
  const end = (link: Link) =>
    endInvitation(send, link.id).then(
      () => {
        props.onProblem(undefined)
        reload()
      },
      (error) => props.onProblem(sentenceOf(error)),
    )
  return (
    <section class="form" aria-labelledby="invitations-title">
      {open !== undefined && open.length > 0 && (
        <>
          <h3 id="invitations-title">{t('Open invitations')}</h3>
          <ul class="rows">
            {open.map((link) => (
              <InvitationRow
                key={link.id}
                link={link}
                inviter={people.nameOf(link.madeBy)}
                onEnd={() => void end(link)}
              />
            ))}
          </ul>
        </>
      )}
      <InviteByLink {...props} onMade={reload} />
      {configuration.mail && <InviteByMail projectId={props.projectId} onMade={reload} />}
    </section>
  )
}

const InvitationRow = (props: { readonly link: Link; readonly inviter: string; onEnd(): void }) => {
  const until = showMoment(props.link.expiresAt)
  return (
    <li class="row">
      <span class="row-text">
        {t('By {name}', { name: props.inviter })}
        <span class="quiet-text line">{t('Until {moment}', { moment: until })}</span>
      </span>
      <button
        type="button"
        class="button quiet icon-only"
        aria-label={t('End the invitation by {name} until {moment}', { name: props.inviter, moment: until })}
        onClick={props.onEnd}
      >
        <Icon name="close" />
      </button>
    </li>
  )
}

function InviteByLink(props: {
  readonly projectId: string
  onMade(): void
  onProblem(problem: string | undefined): void
}) {
  const { send } = useServices()
  const [link, setLink] = useState<string>()
  const invite = () =>
    inviteInto(send, props.projectId).then(
      (made) => {
        props.onProblem(undefined)
        setLink(made)
        props.onMade()
      },
      (error) => props.onProblem(sentenceOf(error)),
    )
  if (link === undefined)
    return (
      <div class="form-buttons">
        <button type="button" class="button" onClick={() => void invite()}>
          {t('Invite somebody new')}
        </button>
      </div>
    )
  return (
    <>
      <p class="form-note">
        {t('Send this link to one person. It works once, within three days, and is shown this once.')}
      </p>
      <Secret label={t('Link')} text={link} onDone={() => setLink(undefined)} />
    </>
  )
}

function InviteByMail(props: { readonly projectId: string; onMade(): void }) {
  const { send, toasts } = useServices()
  const form = useForm({
    initial: { mailTo: '' },
    async submit({ mailTo }) {
      await inviteByMail(send, props.projectId, mailTo)
      toasts.show({
        kind: 'done',
        text: t('The invitation is on its way to {address}.', { address: mailTo }),
      })
      form.discard()
      props.onMade()
    },
  })
  return (
    <Form form={form} submitLabel={t('Send the invitation')}>
      <TextField form={form} name="mailTo" label={t('Invite by mail')} type="email" required />
    </Form>
  )
}
