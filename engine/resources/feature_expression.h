// Which features a job asks for, as text: "ib", "ib & !old", "(a | b) & c"; the words and, or, not mean the same.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/value.h"
#include "resources/request.h"

namespace coslice {

/// Whether an expression can ask for a feature of that name: letters, digits and _ - . : + , and none of the three words.
bool is_feature_name(std::string_view name);

/// The alternatives of the expression, each a list of features with and without. Throws InputError at `place` for what
/// is no expression, for a feature that is not among `known`, and where the alternatives would be more than 64.
std::vector<FeatureTerm> parse_features(const std::string& text, const std::vector<std::string>& known,
                                        const Place& place);
/// The expression of those alternatives: "ib&!old|big"; "" for none.
std::string features_text(const std::vector<FeatureTerm>& terms, const std::vector<std::string>& known);

}  // namespace coslice
