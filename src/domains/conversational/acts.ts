/** Acts of a message, beside the values in it. */
import type { Message } from './message.js';

export interface Acts {
  /** "start over". */
  readonly restarts: boolean;
  /** "cancel": leaves the conversation, and drops nothing. */
  readonly cancels: boolean;
  readonly asksForList: boolean;
  readonly asksForHelp: boolean;
  readonly doesNotKnow: boolean;
  readonly leavesChoice: boolean;
  /** Whether it corrects an earlier value. `strong`: without doubt. */
  readonly corrects: 'strong' | 'weak' | null;
  readonly confirms: boolean;
  /** "let's do something else". */
  readonly changesProblem: boolean;
}

const RESTART = /\b(?:start (?:over|again|afresh|from scratch)|restart|begin again|reset|forget (?:everything|all (?:of )?(?:that|this|it))|new problem|scrap (?:that|it|everything)|clean slate)\b/; // prettier-ignore
const CANCEL = /^\s*(?:(?:please|ok|okay|no),? )?(?:(?:(?:i|we)(?:'d| would)? (?:want|like) to |let'?s )?(?:cancel|stop|quit|exit|abort)(?: (?:this|that|it|here|now|everything|all|the conversation|please))?|never ?mind|forget it|bye|goodbye)[ .!]*$/; // prettier-ignore
const LIST = /\b(?:what can you (?:do|solve|optimi[sz]e)|which problems|what (?:kinds?|types?|sorts?) of problems|what are (?:the|my) (?:options|choices)|list (?:the |all )?(?:problems|options|types)|show (?:me )?(?:the )?(?:list|options))\b|^\s*(?:list|options|choices)[?.! ]*$/; // prettier-ignore
const HELP = /\b(?:what (?:do you mean|does (?:that|this|it) mean|is (?:that|this|it)\b)|explain|(?:can|could) you (?:explain|clarify)|i (?:don'?t|do not) understand|(?:give|show) (?:me )?an example|how (?:do|can|would) i (?:find|get|know|measure|calculate|estimate)|where (?:do|can) i find|what'?s (?:that|this|a|an|the)\b|what is (?:a|an|the) [a-z0-9 -]{2,30}[?,])|^\s*(?:help|huh|what|\?+)[?.! ]*$/; // prettier-ignore
const UNKNOWN = /\b(?:(?:i |we )?(?:do not|don'?t|dont|dunno|didn'?t) (?:really |actually |exactly )?(?:know|have (?:a |any )?(?:clue|idea|that|it|this|numbers?|figures?))|dunno|no (?:idea|clue)|(?:i'?m |i am |we are |we'?re )?(?:not|un)[ -]?(?:really |quite )?(?:sure|certain)|not known|unknown|can'?t (?:say|tell)|cannot (?:say|tell)|hard to say|couldn'?t (?:say|tell)|idk|no data|haven'?t (?:a clue|got that|the faintest)|beats me|who knows|have no (?:idea|clue)|no information|never measured|not a clue)\b|^\s*(?:n\/?a|\?|pass|skip)[ .!?]*$/; // prettier-ignore
const LEAVE = /\b(?:(?:use |take |the )?(?:your |the )?defaults?\b|you (?:choose|decide|pick|tell me)|your (?:choice|call|pick)|up to you|whatever(?: you (?:think|like|want|prefer))?$|whatever you (?:think|like|want|prefer|recommend|suggest)|whichever you|doesn'?t matter|does not matter|don'?t (?:care|mind)|do not (?:care|mind)|no preference|anything|what(?:ever)? is (?:usual|standard|common|normal)|the (?:usual|standard)(?: one| value)?$|as you (?:like|wish|see fit)|surprise me|recommend|suggest something|standard is fine|pick one|either(?: is fine)?$)\b/; // prettier-ignore
const STRONG = /(?:^|[.!;,]\s*)(?:oh |ah |oops |um |well )?(?:no,|no wait|wait,|sorry|correction|oops|my mistake|my bad)|\b(?:i meant|i mean|make (?:that|it)|change (?:the|that|it|my)|should (?:have been|be) .{0,40}\b(?:not|instead)|instead of|scratch that|not .{1,30} but|let me correct|i was wrong|that was wrong|it'?s wrong|typo|got that wrong|mistyped|rather than|to correct|set (?:the|it)|replace|update)\b/; // prettier-ignore
const WEAK = /\b(?:actually|rather|in fact|on second thoughts?|better|really)\b/;
const CONFIRM = /^\s*(?:thanks|thank you|yes|yep|yeah|yup|ok(?:ay)?|sure|fine|correct|right|exactly|that'?s (?:right|correct|fine|it)|sounds good|looks good|go ahead|go|perfect|great|agreed|please do|do it|run it|good|confirmed?)\b[^0-9]{0,30}$/; // prettier-ignore
const OTHER = /\b(?:different (?:problem|question|thing|topic)|something else|another (?:problem|question)|change of plan|(?:i|we) (?:actually |really )?(?:want|need|would like|wanted|meant) to (?:ask|do|optimi[sz]e|plan|find|work|solve|look|price|pack|route|tune|hedge|split)|instead|forget (?:that|this|the)|rather (?:do|have|work)|let'?s (?:do|talk|look|switch|rather)|switch to|changed my mind|my (?:real |actual )?(?:problem|question) is|new question|wrong (?:problem|topic|type)|not (?:about|an?) )\b/; // prettier-ignore

export function actsOf({ plain }: Message): Acts {
  // What a message does shows at its start; long texts are descriptions.
  const text = plain.slice(0, 400);
  return {
    restarts: RESTART.test(text) && plain.length < 200,
    cancels: CANCEL.test(text),
    asksForList: LIST.test(text),
    asksForHelp: HELP.test(text) && plain.length < 200,
    doesNotKnow: UNKNOWN.test(text),
    leavesChoice: LEAVE.test(text.trim().replace(/[.!?]+$/, '')),
    corrects: STRONG.test(text) ? 'strong' : WEAK.test(text) ? 'weak' : null,
    confirms: CONFIRM.test(text),
    changesProblem: OTHER.test(text),
  };
}

/** Where a message takes back what it said before: "10 percent, no wait, 12". */
const TURN = /(?:[,.;-]|\b)\s*(?:no,? wait|wait,? no|oh no|sorry,|sorry|scratch that|i meant?(?: to say)?|correction:?|make that|or rather|no, (?=\d)|actually no)\b[, ]*/g; // prettier-ignore

/** The message in parts, each of which corrects the one before it. */
export function partsOf(text: string): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  for (const found of text.toLowerCase().length === text.length ? text.toLowerCase().matchAll(TURN) : []) {
    const part = text.slice(from, found.index);
    if (parts.length >= 8 || !/\d|\b(?:one|two|three|four|five|six|ten|twenty|hundred|half)\b/i.test(part)) continue;
    if (
      !/\d|\b(?:one|two|three|four|five|six|ten|twenty|hundred|half)\b/i.test(text.slice(found.index + found[0].length))
    )
      break;
    parts.push(part);
    from = found.index;
  }
  parts.push(text.slice(from));
  return parts;
}

const FOREIGN = new Set(
  `der die das und ich wir ist nicht ein eine einen mit fuer für auf den dem wie viel viele pro jahr monat kosten soll sollte haben habe zu von bei kann möchte unser mein wenn oder auch sind wird
  le la les des et je nous est une un pas avec pour sur combien par mois dois devrais avoir veux voudrais mon notre mes que qui dans vous du au aux ce cette sont plus
  el los las y yo es una con para por cuanto cuánto cuantos cuántos año mes quiero tengo debo nuestro mi mis que como cómo del al se su lo hay
  il gli e io sono non che quanto quanti anno mese voglio devo nostro mio di da per nel della
  o os uma eu não com quanto quantos ano mês quero devo nosso meu dos das
  het een ik wij niet met voor hoeveel per jaar maand wil moet onze mijn van
  och jag vi inte att hur många är år månad vill ska vår`.split(/\s+/),
);
const ENGLISH = new Set(
  `the is are of to we our my want need how many much and with for each every per cost year month at from what should have it that this in on not do i can would be a an me you your if when they their them which
  there was will has more than most least about between into by or but so as only one two`.split(/\s+/),
);
const BOTH = new Set(['a', 'me', 'in', 'i', 'at', 'of', 'is', 'so', 'on', 'do', 'me', 'per', 'plus', 'an', 'or', 'has', 'was', 'by', 'will', 'e', 'o', 'y', 'se', 'al', 'su', 'die', 'he', 'as', 'een', 'la', 'con', 'no', 'den', 'un']); // prettier-ignore

/** Whether the text is written in another language than English. */
export function isForeign({ plain, tokens }: Message): boolean {
  const letters = plain.match(/\p{L}/gu) ?? [];
  const strange = letters.filter((letter) => letter > '\u024f').length;
  if (letters.length >= 4 && strange > letters.length / 2) return true;
  let foreign = 0;
  let english = 0;
  for (const word of plain.match(/\p{L}+/gu)?.slice(0, 300) ?? []) {
    if (BOTH.has(word)) continue;
    if (ENGLISH.has(word)) english += 1;
    else if (FOREIGN.has(word)) foreign += 1;
  }
  return foreign >= 2 && foreign > 2 * english && tokens.length > 0;
}
