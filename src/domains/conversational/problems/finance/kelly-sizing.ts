/** The stake of a bet or trade. */
import { type Problem, mustBePositive, numberOf, derived, shownNumber, fieldsOf } from '../../problem.js';
import type { Finding } from '../../slots.js';

export const kellySizing: Problem = {
  domain: 'financial',
  type: 'trading_strategy',
  model: 'kelly_sizing',
  // A bankroll is neither won nor lost in one bet.
  ignores: ({ plain, quantities }) =>
    quantities.flatMap(({ start, end }, i) => (/\b(?:bankroll|capital|account|wallet|funds|savings|i have|i've got|we have)(?: (?:of|is|about|with|balance|a|worth))* ?$/.test(plain.slice(Math.max(0, start - 34), start)) || /^ (?:\w+ )?(?:bankroll|account|capital|wallet)\b/.test(plain.slice(end, end + 30)) ? [i] : [])), // prettier-ignore
  slots: [
    {
      name: 'win_probability',
      kind: 'share',
      cues: 'win|wins|probability|chance|chance of winning|hit rate|win rate|success rate|right|of the time|odds of winning|winning|wins about|chances|come out ahead|pays off|profitable|successful|works out|works|winners|winning trades|winner', // prettier-ignore
      against: 'lose|loss|pays|paid|average win|average winner|average gain|average loss',
      accepts: ({ currency }) => currency === null,
      required: true,
      refuse: (value) =>
        value > 0 && value < 1 ? null : 'A probability lies between 0 and 1, or between 0 and 100 percent.',
      question: 'How often do you win?',
      example: '55 percent of the time',
      help: 'Count wins among past bets or trades; at least some dozens.',
    },
    {
      name: 'loss_probability',
      kind: 'share',
      partOf: 'win_probability',
      cues: 'lose|losing|chance of losing|probability of loss|lose about|goes wrong',
      accepts: ({ currency }) => currency === null,
      question: '',
      example: '',
    },
    {
      name: 'win_loss_ratio',
      kind: 'odds',
      cues: 'odds|payoff|pays|payout|ratio|win loss ratio|times what i lose|times the stake|reward to risk|risk reward|to one|times my|times as much|reward|times|for every|paid|bigger than|as large as|as big as', // prettier-ignore
      required: true,
      accepts: ({ value, isPercent }) => !isPercent && value > 0,
      refuse: mustBePositive,
      question: 'How much do you win for each unit that you can lose?',
      example: '1 to 1, or 2.5 to 1',
      help: 'The average win divided by the average loss.',
    },
    { name: 'average_win', kind: 'money', partOf: 'win_loss_ratio', cues: 'win|average win|gain|make|winning trade|winners|profit|average gain|i make|winner', against: 'lose|loss|losing|losers', accepts: ({ isPercent, currency }) => isPercent || currency !== null, question: '', example: '' }, // prettier-ignore
    { name: 'average_loss', kind: 'money', partOf: 'win_loss_ratio', cues: 'lose|average loss|loss|losing trade|losers|losing|loser|risk', against: 'win|gain|winners', accepts: ({ isPercent, currency }) => isPercent || currency !== null, question: '', example: '' }, // prettier-ignore
    {
      name: 'fraction',
      kind: 'share',
      cues: 'kelly|full kelly|of kelly|fraction of kelly|of full kelly|times kelly',
      accepts: ({ value }) => value <= 1,
      question: 'Which fraction of the full Kelly stake?',
      example: 'half',
    },
  ],
  read(message, { asked }) {
    const found: Finding[] = [];
    const ratio = /(\d{1,4}(?:\.\d{1,4})?) ?(?::|-?to-?| for | against ) ?(\d{1,4}(?:\.\d{1,4})?)(?![\d%])/.exec(
      message.plain,
    );
    const isOdds = asked === 'win_loss_ratio' || /odds|pay|paid|payoff|payout|win|stake|bet|reward/.test(message.plain);
    if (ratio !== null && isOdds && Number(ratio[2]) > 0 && Number(ratio[1]) > 0) {
      const end = ratio.index + ratio[0].length;
      const used = message.quantities.flatMap(({ start }, i) => (start >= ratio.index && start < end ? [i] : []));
      found.push({
        slot: 'win_loss_ratio',
        value: Number(ratio[1]) / Number(ratio[2]),
        text: ratio[0],
        confidence: 0.9,
        used,
      });
    } else if (
      /even money|evens\b|even odds|double or nothing|same as (?:i|my|the) (?:lose|loss|stake)|as much as i lose|double my (?:money|stake)/.test(
        message.plain,
      )
    ) {
      const word =
        /even money|evens|even odds|double or nothing|as much as i lose|double my (?:money|stake)|same as/.exec(
          message.plain,
        )?.[0];
      found.push({ slot: 'win_loss_ratio', value: 1, text: word ?? 'even', confidence: 0.9 });
    } else {
      const twice = /(twice|double|three times|triple) (?:what|as (?:much|large|big|high|great)|the|my|of what)/.exec(
        message.plain,
      );
      const decimal = /decimal odds (?:of |are )?(\d{1,3}(?:\.\d{1,3})?)|odds (?:of |are )?(\d{1,3}(?:\.\d{1,3})?),? \(?decimal/.exec(message.plain); // prettier-ignore
      const multiples = /\b(?:win|wins|winner|winners|gain)(?: (?:of|is|are))? (\d{1,3}(?:\.\d{1,3})?) ?r\b.{1,30}\b(?:loss|losses|loser|losers|lose)(?: (?:of|is|are))? (\d{1,3}(?:\.\d{1,3})?) ?r\b/.exec(message.plain); // prettier-ignore
      if (multiples !== null && Number(multiples[2]) > 0) {
        const end = multiples.index + multiples[0].length;
        const used = message.quantities.flatMap(({ start }, i) => (start >= multiples.index && start < end ? [i] : []));
        found.push({ slot: 'win_loss_ratio', value: Number(multiples[1]) / Number(multiples[2]), text: multiples[0], confidence: 0.9, used }); // prettier-ignore
      } else if (decimal !== null && Number(decimal[1] ?? decimal[2]) > 1) {
        const value = Number((Number(decimal[1] ?? decimal[2]) - 1).toPrecision(12));
        const used = message.quantities.flatMap(({ start }, i) => (start >= decimal.index && start < decimal.index + decimal[0].length ? [i] : [])); // prettier-ignore
        found.push({ slot: 'win_loss_ratio', value, text: decimal[0], confidence: 0.9, used });
      } else if (twice !== null) {
        const used = message.quantities.flatMap(({ start }, i) => (start >= twice.index && start < twice.index + twice[0].length ? [i] : [])); // prettier-ignore
        found.push({ slot: 'win_loss_ratio', value: twice[1] === 'twice' || twice[1] === 'double' ? 2 : 3, text: twice[0], confidence: 0.8, used }); // prettier-ignore
      }
    }
    const outOf =
      /(\d{1,6}|one|two|three|four|five|six|seven|eight|nine) (?:out of|times? out of|in|of|times? in|time out of) (?:every )?(\d{1,7}|ten|three|four|five|two|twenty|hundred|a hundred)\b/.exec(
        message.plain,
      );
    const spelled = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
    const figure = (text: string): number => {
      if (/\d/.test(text)) return Number(text);
      return text === 'twenty' ? 20 : text.endsWith('hundred') ? 100 : spelled.indexOf(text);
    };
    if (outOf !== null && figure(outOf[1]) < figure(outOf[2])) {
      const end = outOf.index + outOf[0].length;
      const used = message.quantities.flatMap(({ start }, i) => (start >= outOf.index && start < end ? [i] : []));
      found.push({
        slot: 'win_probability',
        value: figure(outOf[1]) / figure(outOf[2]),
        text: outOf[0],
        confidence: 0.85,
        used,
      });
    }
    if (/half[ -]kelly/.test(message.plain))
      found.push({ slot: 'fraction', value: 0.5, text: 'half Kelly', confidence: 0.9 });
    if (/quarter[ -]kelly/.test(message.plain)) found.push({ slot: 'fraction', value: 0.25, text: 'quarter Kelly', confidence: 0.9 }); // prettier-ignore
    return found;
  },
  derive(known) {
    const found: Finding[] = [];
    const [win, loss] = [numberOf(known, 'average_win'), numberOf(known, 'average_loss')];
    if (win !== null && loss !== null && loss > 0)
      found.push(derived('win_loss_ratio', win / loss, `Win to loss: ${shownNumber(win)} to ${shownNumber(loss)}.`));
    const lose = numberOf(known, 'loss_probability');
    if (lose !== null)
      found.push(derived('win_probability', Number((1 - lose).toPrecision(12)), 'Wins: whatever is not lost.'));
    return found;
  },
  build: (known) => ({ model: 'kelly_sizing', ...fieldsOf(known, ['win_probability', 'win_loss_ratio', 'fraction']) }),
};
