package dev.pheromone.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pheromone.address.Reach;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.net.URI;
import java.time.Duration;

/// Where a served hive may be, and what is shown to it.
final class HttpOptionsTest {

    private static HttpOptions at(String url) {
        return HttpOptions.of(URI.create(url));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ftp://hive.example.org       | expected http:// or https:// and a host",
                "hive.example.org             | expected http:// or https:// and a host",
                "http:///v1                   | expected http:// or https:// and a host",
                "http://ada@localhost         | a user or a query in it",
                "http://localhost?token=x     | a user or a query in it",
                "http://localhost:7777/hive   | found path \"/hive\"",
            })
    void aUrlIsAHostAlone(String url, String message) {
        assertThatThrownBy(() -> at(url))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("url: ")
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource({
        "http://localhost:7777, TEAM",
        "http://127.0.0.1, TEAM",
        "http://[::1]:80/, TEAM",
        "http://[0:0:0:0:0:0:0:1], TEAM",
        "http://[::1%251], PUBLIC",
        "http://[::1%1], PUBLIC",
        "https://hive.example.org, PUBLIC",
        "https://localhost.example.org, PUBLIC"
    })
    void onlyThisMachineIsTheTeams(String url, Reach reach) {
        assertThat(at(url).reach()).isEqualTo(reach);
        assertThat(at(url).withReach(Reach.TEAM).reach()).isEqualTo(Reach.TEAM);
    }

    @Test
    void aTokenGoesToAnotherMachineOnlyEncrypted() {
        assertThatThrownBy(() -> at("http://hive.example.org").withToken("secret"))
                .hasMessage(
                        "url: found http:// to hive.example.org with a token, expected https://")
                .hasMessageNotContaining("secret");
        assertThat(at("https://hive.example.org").withToken("secret").token()).isEqualTo("secret");
        assertThat(at("http://localhost").withToken("secret").token()).isEqualTo("secret");
    }

    @Test
    void aTokenIsOneLineWithoutBlanksAndIsInNoText() {
        assertThatThrownBy(() -> at("http://localhost").withToken("two words"))
                .hasMessage("token: found blanks or controls in it");
        assertThatThrownBy(() -> at("http://localhost").withToken("a\r\nHost: b"))
                .hasMessage("token: found blanks or controls in it");
        assertThat(at("http://localhost").withToken("secret").toString())
                .isEqualTo("http://localhost (team)");
    }

    @Test
    void whatNothingHoldsUpGetsLessTimeThanALease() {
        HttpOptions options = at("http://localhost");
        assertThat(options.timeout()).isEqualTo(Duration.ofSeconds(60));
        assertThat(options.shortTimeout()).isEqualTo(Duration.ofSeconds(10));
        assertThat(options.withTimeout(Duration.ofSeconds(2)).shortTimeout())
                .isEqualTo(Duration.ofSeconds(2));
        assertThatThrownBy(() -> options.withTries(0)).hasMessageContaining("triesMax: found 0");
    }
}
