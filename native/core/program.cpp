#include "extremum/program.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <string_view>
#include <unordered_map>

#include "extremum/native_code.h"
#include "extremum/targets.h"

namespace extremum {
namespace {

// src/backends/native/opcodes.ts
constexpr std::int32_t kMagic = 0x58545245;
constexpr std::int32_t kVersion = 3;
constexpr std::size_t kHeaderWords = 10;
constexpr std::size_t kInstructionWords = 5;
constexpr std::size_t kOperandWords = kInstructionWords - 1;
enum OperandKind : std::uint32_t { kRegister = 0, kCoordinate = 1, kConstant = 2, kElement = 3 };

enum class Group { structure, plain, check, math };

struct OpcodeInfo {
  const char* name;
  const char* signature;
  Group group;
};

constexpr OpcodeInfo kOpcodes[] = {
#define EXTREMUM_OPCODE(name, signature, group) {#name, signature, Group::group},
#include "extremum/opcodes.generated.inc"
#undef EXTREMUM_OPCODE
};

constexpr std::int32_t kMaxStatus = 254;
constexpr std::size_t kMostWork = std::size_t{1} << 40;

std::atomic<std::uint64_t> next_program_id{1};

}  // namespace

class ProgramLoader {
 public:
  ProgramLoader(const std::int32_t* words, std::size_t word_count, const double* constants, std::size_t constant_count,
                const KernelTable& kernels, std::string& error)
      : words_(words), word_count_(word_count), constants_(constants), constant_count_(constant_count),
        kernels_(kernels), error_(error), program_(new Program) {}

  std::shared_ptr<const Program> load() {
    if (!read_header()) return nullptr;
    program_->constants_.assign(constants_, constants_ + constant_count_);
    program_->steps_.reserve(instruction_count_);
    for (at_ = 0; at_ < instruction_count_; at_++)
      if (!decode(words_ + kHeaderWords + at_ * kInstructionWords)) return nullptr;
    if (!open_.empty()) return fail("the program ends inside an `if`, `loop` or `for`"), nullptr;
    if (program_->steps_.empty() || program_->steps_.back().opcode != Opcode::k_return)
      return fail("the program does not end with `return`"), nullptr;
    if (!program_->loops_.empty() && instruction_count_ > kMaxInstructionsWithFor)
      return fail("too many instructions for a program with `for`"), nullptr;
    lay_out();
    return program_;
  }

 private:
  bool fail(std::string_view message) {
    error_ = "instruction " + std::to_string(at_) + ": " + std::string(message);
    return false;
  }

  bool read_header() {
    at_ = 0;
    if (word_count_ < kHeaderWords || words_[0] != kMagic || words_[1] != kVersion)
      return fail("not a program of this version");
    dimension_ = words_[2];
    registers_ = words_[3];
    masks_ = words_[4];
    const std::int32_t instructions = words_[5];
    if (dimension_ < 1 || dimension_ > kMaxDimension) return fail("dimension out of range");
    if (registers_ < 0 || masks_ < 0 || static_cast<std::size_t>(registers_) > kMaxFrameBlocks ||
        static_cast<std::size_t>(masks_) > kMaxFrameBlocks)
      return fail("register count out of range");
    const std::int32_t element_words = words_[7], locals = words_[8], outputs = words_[9];
    if (locals < 0 || static_cast<std::size_t>(locals) > kMaxFrameBlocks) return fail("local arrays are too large");
    if (outputs < 0 || outputs > locals) return fail("outputs are no local array");
    // Depth and two scratch blocks come on top.
    const std::size_t blocks = static_cast<std::size_t>(dimension_) + static_cast<std::size_t>(registers_) +
                               static_cast<std::size_t>(masks_) + static_cast<std::size_t>(locals) + kMaxDepth + 2;
    if (blocks > kMaxFrameBlocks) return fail("too many registers and elements of local arrays");
    if (instructions < 1 || static_cast<std::size_t>(instructions) > kMaxInstructions || element_words < 0 ||
        word_count_ != kHeaderWords + static_cast<std::size_t>(instructions) * kInstructionWords +
                           static_cast<std::size_t>(element_words))
      return fail("length does not match the header");
    if (words_[6] < 0 || static_cast<std::size_t>(words_[6]) != constant_count_)
      return fail("number of constants does not match the header");
    instruction_count_ = static_cast<std::size_t>(instructions);
    program_->locals_ = static_cast<std::size_t>(locals);
    program_->outputs_ = static_cast<std::size_t>(outputs);
    return read_elements(words_ + word_count_ - element_words, static_cast<std::size_t>(element_words),
                         program_->elements_, error_);
  }

  // Operands are block numbers until lay_out turns them into offsets.
  bool decode(const std::int32_t* word) {
    if (word[0] < 0 || word[0] >= static_cast<std::int32_t>(Opcode::kCount)) return fail("unknown opcode");
    const OpcodeInfo& info = kOpcodes[word[0]];
    Step step{};
    step.opcode = static_cast<Opcode>(word[0]);
    std::array<Operand, kOperandWords> operand{};
    unsigned constants = 0, position = 0;
    // What is written comes first; where nothing is, the first word is `a`.
    const std::uint32_t first = info.signature[0] == 'f' || info.signature[0] == 'm' ? 0 : 1;
    for (std::size_t i = 0; i < kOperandWords; i++) {
      const std::int32_t value = word[1 + i];
      switch (info.signature[i]) {
        case '-':
          if (value != 0) return fail("an unused operand is not 0");
          break;
        case 'i': break;
        case 'c': break;
        case 'f':
          if (value < 0) {
            if (!use_element(static_cast<std::uint32_t>(~value), 0)) return false;
            if (element_of(~value).space != Space::kLocal) return fail("only local arrays are written to");
            break;
          }
          if (value >= registers_) return fail("register out of range");
          operand[i].offset = static_cast<std::size_t>(dimension_ + value);
          break;
        case 'm':
          if (value < 0 || value >= masks_) return fail("mask register out of range");
          operand[i].offset = static_cast<std::size_t>(dimension_) + static_cast<std::size_t>(registers_) +
                              static_cast<std::size_t>(value);
          break;
        case 'F':
        case 'V':
          if (!decode_operand(value, info.signature[i] == 'V', operand[i], constants, position,
                              first + static_cast<std::uint32_t>(i)))
            return false;
          position++;
          break;
        default: return fail("bad signature");
      }
    }
    return info.group == Group::structure ? decode_structure(step, word, operand, constants)
                                          : decode_kernel(step, info, word, operand, constants);
  }

  bool decode_operand(std::int32_t value, bool may_be_constant, Operand& operand, unsigned& constants,
                      unsigned position, std::uint32_t operand_number) {
    if (value < 0) return fail("operand out of range");
    const std::size_t index = static_cast<std::size_t>(value) >> 2;
    switch (value & 3) {
      case kRegister:
        if (index >= static_cast<std::size_t>(registers_)) return fail("register out of range");
        operand.offset = static_cast<std::size_t>(dimension_) + index;
        return true;
      case kCoordinate:
        if (index >= static_cast<std::size_t>(dimension_)) return fail("coordinate out of range");
        operand.offset = index;
        return true;
      case kConstant:
        if (!may_be_constant || index >= constant_count_) return fail("constant out of range");
        operand.constant = program_->constants_.data() + index;
        constants |= 1u << position;
        return true;
      default: {
        if (!use_element(static_cast<std::uint32_t>(index), operand_number)) return false;
        const Space space = program_->elements_[index].space;
        if (space == Space::kLocal || space == Space::kCoordinate) return true;
        if (!may_be_constant) return fail("an element that is the same on all lanes must be moved first");
        constants |= 1u << position;
        return true;
      }
    }
  }

  const Element& element_of(std::int32_t index) const { return program_->elements_[static_cast<std::size_t>(index)]; }

  // Notes that an operand is an element, if that exists at every index it can be asked for here.
  bool use_element(std::uint32_t index, std::uint32_t operand_number) {
    if (index >= program_->elements_.size()) return fail("element out of range");
    const Element& element = program_->elements_[index];
    std::int64_t smallest, largest;
    if (!range_of(element, smallest, largest)) return false;
    const std::size_t lengths[] = {program_->locals_, static_cast<std::size_t>(dimension_), constant_count_};
    if (element.space != Space::kNumber &&
        (smallest < 0 || largest >= static_cast<std::int64_t>(lengths[static_cast<std::size_t>(element.space)])))
      return fail("an element lies outside its array");
    program_->element_uses_.push_back({static_cast<std::uint32_t>(at_), operand_number, index});
    return true;
  }

  bool range_of(const Element& element, std::int64_t& smallest, std::int64_t& largest) {
    std::vector<const CountedLoop*> loops;
    for (const std::uint32_t loop : fors_) loops.push_back(&program_->loops_[loop]);
    if (!find_range(element, loops, program_->elements_, smallest, largest) || smallest < -kMaxNumber || largest > kMaxNumber)
      return fail("an index form uses an index that is not there, or is too large");
    return true;
  }

  bool decode_kernel(Step& step, const OpcodeInfo& info, const std::int32_t* word,
                     const std::array<Operand, kOperandWords>& operand, unsigned constants) {
    if (!find_kernels(step, constants)) return fail("no kernel for these kinds of operands");
    if (info.group == Group::check) {
      for (std::size_t size = 0; size < kBlockSizes; size++) {
        step.kernel[size] = nullptr;
        step.test[size] = kernels_.find_test[size](step.opcode, constants);
      }
      step.a = operand[0];
      step.b = operand[1];
      constants_of_.push_back(constants << 1);
      return set_flag(step, word[3], word[4]) && push(step);
    }
    step.out = operand[0];
    step.a = operand[1];
    step.b = operand[2];
    step.c = operand[3];
    if (step.opcode == Opcode::k_bfill) step.imm = word[2] != 0;
    constants_of_.push_back(step.opcode == Opcode::k_select ? constants << 2 : constants << 1);
    return push(step);
  }

  bool decode_structure(Step& step, const std::int32_t* word, const std::array<Operand, kOperandWords>& operand,
                        unsigned constants) {
    const std::size_t here = program_->steps_.size();
    constants_of_.push_back(constants << 1);
    switch (step.opcode) {
      case Opcode::k_if:
      case Opcode::k_loop:
        step.a = operand[0];
        if (!nest(step.opcode, here)) return false;
        deepest_ = std::max(deepest_, ++depth_);
        break;
      case Opcode::k_for: {
        if (fors_.size() >= kMaxForDepth) return fail("too many `for` inside each other");
        if (word[1] < 0 || static_cast<std::size_t>(word[1]) >= program_->elements_.size() ||
            element_of(word[1]).space != Space::kNumber)
          return fail("the count of `for` is no number");
        std::int64_t smallest, largest;
        if (!range_of(element_of(word[1]), smallest, largest) || !nest(step.opcode, here)) return false;
        step.imm = static_cast<std::int32_t>(program_->loops_.size());
        program_->loops_.push_back(
            {static_cast<std::uint32_t>(fors_.size()), static_cast<std::uint32_t>(word[1]), largest, {}, {}});
        outer_.push_back(fors_.empty() ? kNoLoop : fors_.back());
        fors_.push_back(static_cast<std::uint32_t>(step.imm));
        break;
      }
      case Opcode::k_endfor:
        if (open_.empty() || open_.back().opcode != Opcode::k_for) return fail("`endfor` without `for`");
        step.imm = program_->steps_[open_.back().at].imm;
        step.target = static_cast<std::uint32_t>(open_.back().at + 1);
        program_->steps_[open_.back().at].target = static_cast<std::uint32_t>(here + 1);
        open_.pop_back();
        fors_.pop_back();
        break;
      case Opcode::k_else:
        if (open_.empty() || open_.back().opcode != Opcode::k_if) return fail("`else` without `if`");
        program_->steps_[open_.back().at].target = static_cast<std::uint32_t>(here);
        open_.back() = {Opcode::k_else, here};
        break;
      case Opcode::k_endif:
        if (open_.empty() || open_.back().opcode != Opcode::k_else) return fail("`endif` without `else`");
        program_->steps_[open_.back().at].target = static_cast<std::uint32_t>(here);
        open_.pop_back();
        depth_--;
        break;
      case Opcode::k_endloop:
        if (open_.empty() || open_.back().opcode != Opcode::k_loop) return fail("`endloop` without `loop`");
        if (word[2] < 1) return fail("a loop needs fuel");
        step.a = operand[0];
        step.imm = word[2];
        step.line = word[3];
        step.target = static_cast<std::uint32_t>(open_.back().at + 1);
        open_.pop_back();
        depth_--;
        break;
      case Opcode::k_blend:
      case Opcode::k_bblend:
        step.out = operand[0];
        step.a = operand[1];
        if (!find_kernels(step, constants)) return fail("no kernel for these kinds of operands");
        break;
      case Opcode::k_check:
        step.a = operand[0];
        if (!set_flag(step, word[2], word[3])) return false;
        break;
      case Opcode::k_return:
        if (!open_.empty()) return fail("`return` inside `if`, `loop` or `for`");
        if (at_ + 1 != instruction_count_) return fail("instructions after `return`");
        step.a = operand[0];
        step.imm = constants != 0;
        break;
      default: return fail("not a structure instruction");
    }
    return push(step);
  }

  bool nest(Opcode opcode, std::size_t here) {
    if (open_.size() + 2 > kMaxDepth) return fail("nested too deeply");
    open_.push_back({opcode, here});
    return true;
  }

  bool find_kernels(Step& step, unsigned constants) const {
    for (std::size_t size = 0; size < kBlockSizes; size++)
      step.kernel[size] = kernels_.find_kernel[size](step.opcode, constants);
    return step.kernel[kWide] != nullptr;
  }

  bool set_flag(Step& step, std::int32_t status, std::int32_t line) {
    if (status < 1 || status > kMaxStatus) return fail("lane status out of range");
    step.imm = status;
    step.line = line;
    return true;
  }

  bool push(const Step& step) {
    program_->steps_.push_back(step);
    std::size_t times = 1;
    for (const std::uint32_t loop : fors_)
      times = std::min(kMostWork, times * static_cast<std::size_t>(std::clamp<std::int64_t>(program_->loops_[loop].most_rounds, 1, 1 << 20)));
    program_->work_ = std::min(kMostWork, program_->work_ + times);
    for_of_step_.push_back(fors_.empty() ? kNoLoop : fors_.back());
    return true;
  }

  void lay_out() {
    Program& program = *program_;
    program.dimension_ = static_cast<std::size_t>(dimension_);
    program.registers_ = static_cast<std::size_t>(registers_);
    program.kernels_ = &kernels_;
    program.depth_ = deepest_ + 1;
    program.mask_block_ =
        static_cast<std::size_t>(dimension_) + static_cast<std::size_t>(registers_) + static_cast<std::size_t>(masks_);
    program.frame_blocks_ = program.local_block() + program.locals_;
    program.id_ = next_program_id.fetch_add(1, std::memory_order_relaxed);
    for (std::size_t i = 0; i < program.steps_.size(); i++) {
      Step& step = program.steps_[i];
      step.constants = static_cast<std::uint8_t>(constants_of_[i]);
      if (step.test[kWide]) step.out.offset = program.scratch_block();
      Operand* const operands[] = {&step.out, &step.a, &step.b, &step.c};
      for (unsigned k = 0; k < 4; k++)
        if (!(constants_of_[i] >> k & 1)) operands[k]->offset *= kBlockStride;
    }
    place_elements();
  }

  // Points operands at their elements where all indices are 0, and tells the loops what to change. Such a place, and
  // the one after the last round, need not exist: numbers wrap around.
  void place_elements() {
    Program& program = *program_;
    std::unordered_map<std::uint32_t, std::uint32_t> number_of;
    for (const ElementUse& use : program.element_uses_) {
      const Element& element = program.elements_[use.element];
      if (element.space == Space::kNumber) {
        const auto [found, added] = number_of.try_emplace(use.element, static_cast<std::uint32_t>(program.numbers_.size()));
        if (added) program.numbers_.push_back(use.element);
        (program.steps_[use.step].*kOperands[use.operand]).bits = found->second;
        for (const IndexTerm& term : element.terms) {
          auto& numbers = loop_around(use.step, term.level).numbers;
          const bool known = std::any_of(numbers.begin(), numbers.end(), [&](const auto& number) { return number.number == found->second; });
          if (!known) numbers.push_back({found->second, static_cast<std::uint64_t>(term.scale)});
        }
        continue;
      }
      std::uint64_t start = 0, unit = kBlockStride;
      if (element.space == Space::kLocal) start = program.local_block() * kBlockStride;
      if (element.space == Space::kConstant) {
        start = reinterpret_cast<std::uintptr_t>(program.constants_.data());
        unit = sizeof(double);
      }
      (program.steps_[use.step].*kOperands[use.operand]).bits = start + static_cast<std::uint64_t>(element.offset) * unit;
      for (const IndexTerm& term : element.terms)
        loop_around(use.step, term.level).operands.push_back({use.step, use.operand, static_cast<std::uint64_t>(term.scale) * unit});
    }
  }

  CountedLoop& loop_around(std::uint32_t step, std::uint32_t level) {
    std::uint32_t loop = for_of_step_[step];
    while (program_->loops_[loop].level > level) loop = outer_[loop];
    return program_->loops_[loop];
  }

  struct Open {
    Opcode opcode;
    std::size_t at;
  };

  const std::int32_t* words_;
  std::size_t word_count_;
  const double* constants_;
  std::size_t constant_count_;
  const KernelTable& kernels_;
  std::string& error_;
  std::shared_ptr<Program> program_;
  std::int32_t dimension_ = 0, registers_ = 0, masks_ = 0;
  std::size_t instruction_count_ = 0, at_ = 0, depth_ = 0, deepest_ = 0;
  std::vector<Open> open_;
  static constexpr std::uint32_t kNoLoop = static_cast<std::uint32_t>(-1);
  std::vector<std::uint32_t> fors_;         // loops around the current instruction, outermost first
  std::vector<std::uint32_t> outer_;        // by loop
  std::vector<std::uint32_t> for_of_step_;  // the innermost one around
  std::vector<unsigned> constants_of_;  // per step, bit k: operand k of out, a, b, c is a constant
};

std::shared_ptr<const Program> Program::load(const std::int32_t* words, std::size_t word_count, const double* constants,
                                             std::size_t constant_count, const KernelTable& kernels,
                                             std::string& error) {
  return ProgramLoader(words, word_count, constants, constant_count, kernels, error).load();
}

Program::~Program() { delete native_code_.load(std::memory_order_relaxed); }

bool Program::attach(std::unique_ptr<const NativeCode> code) const {
  const NativeCode* none = nullptr;
  if (!native_code_.compare_exchange_strong(none, code.get(), std::memory_order_release)) return false;
  code.release();
  return true;
}

}  // namespace extremum
