package dev.pheromone.redaction;

import java.math.BigInteger;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/// What tells a number of a person's from other numbers of its shape.
enum Checksum {
    /// Thirteen to nineteen digits whose last one fits the others, as payment cards have it.
    LUHN {
        @Override
        int validLength(String found) {
            String digits = digits(found);
            int sum = 0;
            for (int i = 0; i < digits.length(); i++) {
                int digit = digits.charAt(digits.length() - 1 - i) - '0';
                int counted = i % 2 == 0 ? digit : 2 * digit;
                sum += counted > 9 ? counted - 9 : counted;
            }
            boolean isLong = digits.length() >= 13 && digits.length() <= 19;
            // Of one digit alone there are no cards, but many examples.
            boolean isOne = digits.chars().distinct().count() == 1;
            return isLong && !isOne && sum % 10 == 0 ? found.length() : 0;
        }
    },

    /// An account number of a country that has them, of its length, whose check digits fit.
    IBAN {
        @Override
        int validLength(String found) {
            StringBuilder account = new StringBuilder();
            for (int i = 0; i < found.length(); i++) {
                char c = found.charAt(i);
                if (c == ' ') {
                    continue;
                }
                account.append(Character.toUpperCase(c));
                if (account.length() >= 2) {
                    Integer length = IBAN_LENGTHS.get(account.substring(0, 2));
                    if (length == null) {
                        return 0;
                    }
                    boolean isEnd = i + 1 == found.length() || found.charAt(i + 1) == ' ';
                    if (account.length() == length) {
                        return isEnd && isIban(account.toString()) ? i + 1 : 0;
                    }
                }
            }
            return 0;
        }
    },

    /// Seven to fifteen digits, as telephone numbers have it.
    PHONE {
        @Override
        int validLength(String found) {
            int count = digits(found).length();
            return count >= 7 && count <= 15 ? found.length() : 0;
        }
    };

    private static final Map<String, Integer> IBAN_LENGTHS = new HashMap<>();
    private static final int LETTERS_AND_DIGITS = 36;
    private static final BigInteger NINETY_SEVEN = BigInteger.valueOf(97);

    static {
        String lengths =
                "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22"
                        + " DK18 DO28 EE20 EG29 ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28"
                        + " HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20"
                        + " LU20 LV21 LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28"
                        + " PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27 ST25 SV28 TL23"
                        + " TN24 TR26 UA29 VA22 VG24 XK20";
        for (String country : lengths.split(" ", -1)) {
            IBAN_LENGTHS.put(country.substring(0, 2), Integer.parseInt(country.substring(2)));
        }
    }

    /// How much of `found`, from its beginning, is such a number; 0 if none is.
    abstract int validLength(String found);

    /// The check of that name; fails on any other text.
    static Checksum parse(String text) {
        return switch (text) {
            case "luhn" -> LUHN;
            case "iban" -> IBAN;
            case "phone" -> PHONE;
            default ->
                    throw new IllegalArgumentException(
                            "found \"" + text + "\", expected luhn, iban or phone");
        };
    }

    private static String digits(String text) {
        StringBuilder digits = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c >= '0' && c <= '9') {
                digits.append(c);
            }
        }
        return digits.toString();
    }

    private static boolean isIban(String account) {
        String turned = account.substring(4) + account.substring(0, 4);
        StringBuilder number = new StringBuilder();
        for (int i = 0; i < turned.length(); i++) {
            number.append(Character.digit(turned.charAt(i), LETTERS_AND_DIGITS));
        }
        return new BigInteger(number.toString()).mod(NINETY_SEVEN).intValue() == 1;
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
