import type { NotificationKind, NotificationLine } from '../../accounts/notification-mails.ts'

export interface MailText {
  readonly subject: string
  readonly text: string
}

/** The texts of mails in one language. Names are already shortened to one line and isolated. A link has its own line. */
export interface MailTexts {
  password(values: PasswordValues): MailText
  factors(values: { readonly origin: string }): MailText
  invitation(values: InvitationValues): MailText
  notifications(values: NotificationValues): MailText
}

export interface PasswordValues {
  /** The origin of the web client, by which users know the installation. */
  readonly origin: string
  readonly link: string
  readonly hours: number
  readonly isByAdministrator: boolean
}

export interface InvitationValues {
  readonly origin: string
  readonly link: string
  readonly days: number
  readonly inviter: string
  /** The project that the invited user will join, if any. */
  readonly into: { readonly project: string; readonly organization: string } | undefined
}

export interface NotificationValues {
  readonly origin: string
  readonly groups: readonly {
    readonly assignment: string
    readonly project: string
    readonly link: string
    readonly lines: readonly NotificationLine[]
  }[]
  /** The number of all notifications, and the number of notifications that the mail leaves out. */
  readonly count: number
  readonly moreCount: number
  readonly inbox: string
  readonly settings: string
  readonly unsubscribe: string
}

/** The inbox of the web client has its own sentences: `web/src/ui/notification-text.ts`. */
type NotificationSentences = Readonly<Record<NotificationKind, (name: string, stage?: string) => string>>

interface NotificationTexts {
  readonly system: string
  readonly sentences: NotificationSentences
  readonly newNotifications: (count: number) => string
  readonly project: (name: string) => string
  readonly more: (count: number, inbox: string) => string
  /** Begins with the delimiter of a signature, which ends with a space (RFC 3676, 4.3). */
  readonly end: (values: NotificationValues) => string
}

/** The subject names the assignment if there is only one, as in most mails. */
const notificationText = (texts: NotificationTexts) => (values: NotificationValues) => {
  const { groups, count, moreCount, inbox } = values
  const sentenceOf = ({ kind, actor, stage }: NotificationLine) =>
    texts.sentences[kind](actor ?? texts.system, stage)
  const [first] = groups
  const [firstLine] = first?.lines ?? []
  const summary =
    count === 1 && firstLine ? sentenceOf(firstLine).replace(/\.$/, '') : texts.newNotifications(count)
  const blocks = groups.map(({ assignment, project, link, lines }) =>
    [assignment, texts.project(project), ...lines.map((line) => `- ${sentenceOf(line)}`), link].join('\n'),
  )
  if (moreCount > 0) blocks.push(texts.more(moreCount, inbox))
  blocks.push(texts.end(values))
  return {
    subject: groups.length === 1 && first ? `${first.assignment}: ${summary}` : summary,
    text: blocks.join('\n\n'),
  }
}

export const en: MailTexts = {
  password: ({ origin, link, hours, isByAdministrator }) => ({
    subject: 'Reset your password',
    text: `${isByAdministrator ? 'An administrator has' : 'Someone has'} requested a new password for your account at ${origin}.

Choose it here within ${hours} hour; the link works only once:

${link}

If you do not want a new password, ignore this mail: your current one stays valid.
`,
  }),
  factors: ({ origin }) => ({
    subject: 'Your sign-in methods have changed',
    text: `The ways to sign in to your account at ${origin} have changed: a passkey, an authenticator app, recovery codes or a linked account
was added or removed. After a change of passkeys, apps or codes your other sessions have ended.

If that was you, you need not do anything. If not, change your password at once, check "Second factor" and
"Linked accounts" on the page "My account", and inform an administrator.
`,
  }),
  invitation: ({ origin, link, days, inviter, into }) => ({
    subject: 'You have been invited',
    text: `${inviter} invites you${into ? ` to the project ${into.project} of ${into.organization}` : ''} at ${origin}.

Create your account here within ${days} days, or join with the one you have; the link works only once:

${link}

If you were not expecting this invitation, ignore this mail.
`,
  }),
  notifications: notificationText({
    system: 'the system',
    sentences: {
      assigned: (name) => `Assigned to you by ${name}.`,
      mentioned: (name) => `${name} mentioned you.`,
      commented: (name) => `New comment by ${name}.`,
      blocked: (name) => `Impediment reported by ${name}.`,
      unblocked: (name) => `Impediment resolved by ${name}.`,
      dependencyDone: (name) => `${name} finished an assignment that it waited for.`,
      stageChanged: (name, stage = 'another stage') => `Moved to ${stage} by ${name}.`,
      dueTomorrow: () => 'Due on the next day.',
      overdue: () => 'Overdue.',
    },
    newNotifications: (count) => `${count} new notifications`,
    project: (name) => `Project: ${name}`,
    more: (count, inbox) => `And ${count} more in your inbox:\n${inbox}`,
    end: ({ origin, settings, unsubscribe }) => `--\u0020
You get this mail because of your account at ${origin}. Choose which notifications are mailed, and when, under "Notifications":
${settings}

To end these mails:
${unsubscribe}
`,
  }),
}

/** Uses the vocabulary of the web client: `web/src/texts/pt-br.ts` has the glossary. */
export const ptBr: MailTexts = {
  password: ({ origin, link, hours, isByAdministrator }) => ({
    subject: 'Sua nova senha',
    text: `${isByAdministrator ? 'Um administrador pediu' : 'Alguém pediu'} uma nova senha para a sua conta em ${origin}.

Escolha-a aqui em até ${hours} hora; o link funciona uma vez:

${link}

Se você não quer uma nova senha, não faça nada: a atual continua valendo.
`,
  }),
  factors: ({ origin }) => ({
    subject: 'Sua forma de entrar mudou',
    text: `A forma de entrar na sua conta em ${origin} mudou: uma chave de acesso, um aplicativo de códigos, códigos de recuperação ou uma conta
externa foi incluída ou retirada. Depois de uma mudança de chaves, aplicativos ou códigos, seus outros acessos foram encerrados.

Se foi você, não há nada a fazer. Se não foi, escolha logo uma nova senha, veja o que está em "Segundo fator" e em
"Contas em outros serviços" na página "Minha conta", e avise um administrador.
`,
  }),
  invitation: ({ origin, link, days, inviter, into }) => ({
    subject: 'Você recebeu um convite',
    text: `${inviter} convida você ${into ? `para o projeto ${into.project}, de ${into.organization},` : 'a participar'} em ${origin}.

Crie sua conta aqui em até ${days} dias, ou entre com a que você já tem; o link funciona uma vez:

${link}

Se você não sabe do que se trata, não faça nada.
`,
  }),
  notifications: notificationText({
    system: 'o sistema',
    sentences: {
      assigned: (name) => `Atribuída a você por ${name}.`,
      mentioned: (name) => `Menção a você por ${name}.`,
      commented: (name) => `Novo comentário de ${name}.`,
      blocked: (name) => `Impedimento registrado por ${name}.`,
      unblocked: (name) => `Impedimento resolvido por ${name}.`,
      dependencyDone: (name) => `Uma tarefa que ela esperava foi concluída por ${name}.`,
      stageChanged: (name, stage = 'outra etapa') => `Movida para ${stage} por ${name}.`,
      dueTomorrow: () => 'Prazo no dia seguinte.',
      overdue: () => 'Em atraso.',
    },
    newNotifications: (count) => `${count} novas notificações`,
    project: (name) => `Projeto: ${name}`,
    more: (count, inbox) => `E mais ${count} na sua caixa de entrada:\n${inbox}`,
    end: ({ origin, settings, unsubscribe }) => `--\u0020
Você recebe este e-mail por causa da sua conta em ${origin}. Escolha quais notificações chegam por e-mail, e quando, em "Notificações":
${settings}

Para não receber mais estes e-mails:
${unsubscribe}
`,
  }),
}
